// Every page of the dashboard, used by a person while agents work, and what the hub says of it afterwards.

import { after, before } from 'node:test';

import { arrive, leave } from './use/desk.mjs';

before(arrive);
after(leave);

const parts = (process.env.PARTS ?? 'conversations handoffs overview graph lists').split(' ');
for (const part of parts) await import(`./use/${part}.mjs`);
