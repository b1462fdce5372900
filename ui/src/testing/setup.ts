import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

configure({ asyncUtilTimeout: 5_000 }); // a busy machine is slow, not wrong

afterEach(cleanup);
