// New mail is announced to whoever subscribed to the inbox.

import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { clients, Team } from './agent.mjs';

const ways = [
  { name: 'http', http: true },
  { name: 'stdio' },
  { name: 'stdio beside a hub', hub: true },
];

/** Tells of the resources that the server says have changed. */
function updates({ kind, client }) {
  const told = new EventEmitter();
  const kindOfNote = kind.name === 'sdk 1' ? ResourceUpdatedNotificationSchema : 'notifications/resources/updated';
  client.setNotificationHandler(kindOfNote, ({ params }) => void told.emit('updated', params.uri));
  return told;
}

/** Returns how to end it. */
async function subscribe({ kind, client }, uri) {
  if (kind.version >= '2026-07-28') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }
  await client.subscribeResource({ uri });
  return () => client.unsubscribeResource({ uri });
}

describe('new mail', { concurrency: 3 }, () => {
  for (const kind of clients) {
    for (const way of ways) {
      test(`${kind.name}, ${way.name}`, async () => {
        const team = await Team.start(kind, way);
        try {
          const ann = await team.join('ann');
          const bob = await team.join('bob');
          const uri = 'nexus://inbox/bob';
          assert.ok(bob.client.getServerCapabilities().resources.subscribe);
          const told = updates(bob);
          const end = await subscribe(bob, uri);
          for (let unread = 1; unread <= 3; unread++) {
            const next = once(told, 'updated');
            await team.send(ann, bob, 'a word');
            assert.deepEqual(await next, [uri]);
            const { contents } = await bob.client.readResource({ uri });
            assert.equal(JSON.parse(contents[0].text).unread, unread);
          }
          await end();
          assert.deepEqual(bob.errors, []);
        } finally {
          await team.close();
        }
      });
    }
  }
});
