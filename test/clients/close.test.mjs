// A client that closes its end leaves no process behind.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { clients, Team } from './agent.mjs';

for (const kind of clients) {
  for (const hub of [false, true]) {
    describe(`${kind.name}, ${hub ? 'stdio beside a hub' : 'stdio'}`, () => {
      test('closing ends the process at once', () => closes(kind, hub, async () => {}));
      test('closing ends a process with a call that waits', () => closes(kind, hub, (team, ann) => team.wait(ann, 1000)));
    });
  }
}

async function closes(kind, hub, prepare) {
  const team = await Team.start(kind, { hub });
  try {
    const ann = await team.join('ann');
    const { pid } = ann.transport;
    await prepare(team, ann);
    const began = Date.now();
    await ann.close();
    assert.ok(Date.now() - began < 1500, 'it took too long'); // after 2 s the client sends a signal
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }); // a zombie would still be there
    await team.hub?.parked(0);
  } finally {
    await team.close();
  }
}
