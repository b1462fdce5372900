import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Path } from '.';

test('a path is read as it is written, whatever is cut', () => {
  render(<Path path="/tmp/atlas-web" />);
  expect(screen.getByTitle('/tmp/atlas-web').querySelector('bdi')?.textContent).toBe('/tmp/atlas-web');
});
