// What a client notices when the hub stops or dies: nothing that lasts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Agent, clients, patiences, Team } from './agent.mjs';

for (const kind of clients) {
  describe(`${kind.name}, http`, () => http(kind));
  describe(`${kind.name}, stdio beside a hub`, () => stdio(kind));
}

function http(kind) {
  let team, ann, bob;

  before(async () => {
    team = await Team.start(kind, { http: true });
    ann = await team.join('ann');
    bob = await team.join('bob');
  });
  after(() => team.close());

  test('a session outlives the hub that was killed', async () => {
    const session = ann.transport.sessionId;
    assert.equal(session !== undefined, kind.version < '2026-07-28');
    await team.hub.restart('SIGKILL');
    assert.ok((await team.send(ann, bob, 'still here')).ok);
    assert.equal((await bob.data('inbox_pull', { agent_id: 'bob' })).messages[0].body, 'still here');
    assert.equal(ann.transport.sessionId, session);
  });

  for (const seconds of patiences) {
    test(`a hub that stops answers a wait of ${seconds} s`, async () => {
      const { data } = await team.send(ann, bob, 'before');
      const { answer } = await team.wait(bob, data.event_id, seconds);
      await team.hub.stop();
      assert.deepEqual((await answer).events, []);
      await team.hub.start();
      await bob.alive();
    });
  }

  test('a wrong key is refused with 401', async () => {
    const [url, options] = kind.keyed(`nxs_${'0'.repeat(48)}`)(new URL(`${team.hub.base}/mcp`));
    const eve = new Agent(kind, 'eve', new kind.Http(url, options));
    await assert.rejects(eve.connect(), (error) => status(error) === 401);
    await eve.close();
  });
}

/** The HTTP status in an error; a failed probe wraps the error of the request. */
const status = (error) => error?.data?.status ?? error?.status ?? (error?.cause ? status(error.cause) : error?.code);

function stdio(kind) {
  let team, ann, bob;

  before(async () => {
    team = await Team.start(kind, { hub: true });
    ann = await team.join('ann');
    bob = await team.join('bob');
  });
  after(() => team.close());

  for (const signal of ['SIGTERM', 'SIGKILL']) {
    test(`the hub gets ${signal} between two calls`, async () => {
      await team.hub.restart(signal);
      assert.ok((await team.send(ann, bob, 'still here')).ok);
      const { messages } = await bob.data('inbox_pull', { agent_id: 'bob' });
      assert.deepEqual(messages.map((m) => m.body), ['still here']);
      await bob.data('inbox_ack', { agent_id: 'bob', message_ids: [messages[0].message_id] });
    });

    test(`the hub gets ${signal} during a wait`, async () => {
      const { data: first } = await team.send(ann, bob, 'before');
      const { answer } = await team.wait(bob, first.event_id);
      await team.hub.restart(signal);
      await team.hub.parked(1);
      const { data: second } = await team.send(ann, bob, 'after');
      const { events, timed_out } = await answer;
      assert.deepEqual([events[0].payload.message_id, timed_out], [second.message_id, false]);
      await bob.data('inbox_ack', { agent_id: 'bob', message_ids: [first.message_id, second.message_id] });
    });

    test(`the hub gets ${signal} while calls pour in, and each acts once`, async () => {
      const bodies = Array.from({ length: 50 }, (_, i) => `${signal} ${i}`);
      const answers = bodies.map((body) => team.send(ann, bob, body));
      await Promise.race(answers); // the rest is in flight
      await team.hub.restart(signal);
      assert.deepEqual((await Promise.all(answers)).filter((a) => !a.ok), []);
      const { messages } = await bob.data('inbox_pull', { agent_id: 'bob', limit: 200 });
      assert.deepEqual(messages.map((m) => m.body).sort(), bodies.sort());
      await bob.data('inbox_ack', { agent_id: 'bob', message_ids: messages.map((m) => m.message_id) });
    });
  }

  test('the hub stops for good, and the store is used without it', async () => {
    await team.hub.stop();
    const [sent] = await Promise.all([team.send(ann, bob, 'alone'), bob.data('nexus_info')]);
    assert.ok(sent.ok);
    assert.equal((await bob.data('inbox_pull', { agent_id: 'bob' })).messages[0].body, 'alone');
    assert.deepEqual([...ann.errors, ...bob.errors], []);
  });
}
