// The service worker of a hostile page: it asks the hub by itself.

'use strict';

const hub = new URL(location.href).searchParams.get('hub');

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => event.waitUntil(ask(event.ports[0])));

async function ask(port) {
  const seen = [];
  for (const mode of ['cors', 'no-cors']) {
    for (const method of ['GET', 'POST']) {
      try {
        const answer = await fetch(`${hub}/api/v1/agents?agent_id=mallory-worker`, { method, mode, credentials: 'include' });
        seen.push(`${answer.type}: ${await answer.text()}`);
      } catch (error) {
        seen.push(error.name);
      }
    }
  }
  port.postMessage(seen.join('\n'));
}
