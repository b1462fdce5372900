// What two agents do all day, through every official client and every way in.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';

import { clients, patiences, Team } from './agent.mjs';

const ajv = new Ajv({ strictTypes: false });
const ways = [
  { name: 'http', http: true },
  { name: 'stdio' },
  { name: 'stdio beside a hub', hub: true },
];

describe('two agents', { concurrency: 3 }, () => {
  for (const kind of clients) {
    for (const way of ways) describe(`${kind.name}, ${way.name}`, { concurrency: 1 }, () => flow(kind, way));
  }
});

function flow(kind, way) {
  let team, ann, bob;

  before(async () => {
    team = await Team.start(kind, way);
    ann = await team.join('ann');
    bob = await team.join('bob');
  });
  after(() => team.close());

  const sent = async (body, subject) => {
    const { ok, data, error } = await team.send(ann, bob, body, subject);
    assert.ok(ok, error?.code);
    return data;
  };
  const emptied = async (agent) => {
    const { messages } = await agent.data('inbox_pull', { agent_id: agent.id, limit: 200 });
    await agent.data('inbox_ack', { agent_id: agent.id, message_ids: messages.map((m) => m.message_id) });
    return messages;
  };

  test('the newest protocol both speak is chosen', () => {
    const version = ann.client.getNegotiatedProtocolVersion?.() ?? ann.transport.protocolVersion;
    assert.equal(version, kind.version);
    assert.equal(ann.client.getServerVersion().name, 'nexus');
  });

  test('every tool has a schema that is one', async () => {
    const { tools } = await ann.client.listTools();
    assert.ok(tools.length > 20);
    for (const tool of tools) {
      assert.doesNotThrow(() => ajv.compile(tool.inputSchema), tool.name);
      assert.ok(tool.description);
    }
  });

  test('a message is sent, pulled, acknowledged and known as read', async () => {
    const body = 'Grüße, 你好, שלום, 👩🏽‍🚀, e\u0301, \u2028, "quoted" \\ <b>&\t\n\u0001 end';
    const { message_id, recipients } = await sent(body, '件名');
    assert.deepEqual(recipients, ['bob']);
    const status = async () => (await ann.data('message_status', { message_id })).deliveries[0].status;
    assert.equal(await status(), 'unread');

    const { messages } = await bob.data('inbox_pull', { agent_id: 'bob' });
    const [{ body: got, subject, from_agent_id }] = messages;
    assert.deepEqual([messages.length, got, subject, from_agent_id], [1, body, '件名', 'ann']);
    assert.equal(await status(), 'delivered');

    const { read_message_ids } = await bob.data('inbox_ack', { agent_id: 'bob', message_ids: [message_id] });
    assert.deepEqual(read_message_ids, [message_id]);
    assert.equal(await status(), 'read');
    assert.equal((await bob.data('inbox_pull', { agent_id: 'bob' })).count, 0);
  });

  for (const seconds of patiences) {
    test(`a wait of ${seconds} s is woken by a message, and stops nobody`, async () => {
      const { event_id } = await sent('before');
      const { answer } = await team.wait(bob, event_id, seconds);
      await bob.alive();
      const { message_id } = await sent('now');
      const { events, timed_out } = await answer;
      assert.equal(timed_out, false);
      assert.equal(events[0].payload.message_id, message_id);
      assert.deepEqual((await emptied(bob)).map((m) => m.body), ['before', 'now']);
    });

    test(`a wait of ${seconds} s can be cancelled, and the connection goes on`, async () => {
      const { event_id } = await sent('before');
      const abort = new AbortController();
      const { answer } = await team.wait(bob, event_id, seconds, { signal: abort.signal });
      abort.abort();
      await assert.rejects(answer);
      await team.hub?.parked(0);
      await bob.alive();
      assert.equal((await emptied(bob)).length, 1);
    });
  }

  // Over HTTP the cancellation may overtake the call.
  if (!way.http) {
    test('waits that are cancelled at once are never answered', async () => {
      const { event_id } = await sent('before');
      const wait = { project_root: team.home, agent_id: 'bob', stream: 'workspace', cursor: event_id, timeout_seconds: 30 };
      for (let i = 0; i < 50; i++) {
        const abort = new AbortController();
        const cancelled = bob.data('event_wait', wait, { signal: abort.signal });
        abort.abort();
        await assert.rejects(cancelled);
      }
      await bob.data('nexus_info', {}); // whatever was sent before has been read now
      const other = bob.data('event_wait', wait);
      await sent('now');
      assert.equal((await other).events.length, 1);
      await emptied(bob);
      assert.deepEqual(bob.errors.splice(0), []);
    });
  }

  test('a wait that nothing ends says so when its time is up', async () => {
    const { event_id } = await sent('the last');
    const waited = await bob.data('event_wait', {
      project_root: team.home, agent_id: 'bob', stream: 'workspace', cursor: event_id, timeout_seconds: 1,
    });
    assert.deepEqual(waited, { events: [], next_cursor: event_id, has_more: false, timed_out: true });
    await emptied(bob);
  });

  test('many calls at once are all answered', async () => {
    const bodies = Array.from({ length: 100 }, (_, i) => `number ${i}`);
    const ids = (await Promise.all(bodies.map((body) => sent(body)))).map((m) => m.message_id);
    const got = await emptied(bob);
    assert.deepEqual(got.map((m) => m.message_id).sort(), ids.sort());
    assert.deepEqual(got.map((m) => m.body).sort(), bodies.sort());
  });

  test('what goes wrong in a tool is an answer with a code', async () => {
    assert.equal((await ann.refusal('agent_get', { agent_id: 'nobody' })).code, 'NOT_FOUND');
    assert.equal((await ann.refusal('workspace_resolve', {})).code, 'VALIDATION_ERROR');
    const typo = await ann.refusal('agent_get', { agent_ib: 'ann' });
    assert.equal(typo.code, 'VALIDATION_ERROR');
    assert.match(typo.message, /agent_id/);
  });

  test('an unknown tool is an error of the protocol', async () => {
    for (const name of ['no_such_tool', 'größe']) {
      await assert.rejects(ann.ask(name), (error) => error.code === -32602 && error.message.includes(name));
    }
    await ann.alive();
  });

  test('a body of 60 kB passes and one of 300 kB does not', async () => {
    const body = '你好👋'.repeat(6000);
    assert.equal(Buffer.byteLength(body), 60_000);
    await sent(body);
    assert.equal((await emptied(bob))[0].body, body);
    const { ok, error } = await team.send(ann, bob, 'x'.repeat(300_000));
    assert.deepEqual([ok, error.code], [false, 'CONTENT_TOO_LARGE']);
    assert.equal((await emptied(bob)).length, 0);
  });

  test('no client complained', () => {
    assert.deepEqual([...ann.errors, ...bob.errors], []);
  });
}
