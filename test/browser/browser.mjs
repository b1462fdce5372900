// A real browser, hubs that have something to lose, and somebody who serves a hostile page.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { chromium } from 'playwright-core';

import { binary, Hub, newHome } from '../clients/hub.mjs';

/** Only in the hub, so whoever has it has read something. */
export const secret = 'secret-agent';

/** Every name below .test is this machine. What the browser itself does about pages that reach for it is turned off. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.NEXUS_CHROMIUM ?? 'chromium',
    args: [
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessRespectPreflightResults',
    ],
  });

/** A hub with an agent and a log. */
export async function startHub(...flags) {
  const hub = await new Hub(await newHome(), '--log-level', 'info', ...flags).start();
  hub.port = new URL(hub.base).port;
  hub.operatorKey = (await readFile(join(hub.home, 'operator.key'), 'utf8')).trim();
  hub.agentKey = (await asOperator(hub, 'POST', '/agents', { agent_id: secret })).api_key;
  await asOperator(hub, 'POST', '/op/message_create', {
    project_root: hub.home, from_agent_id: secret, subject: secret, body: secret, target: { strategy: 'direct', agent_id: secret },
  });
  return hub;
}

/** A call of the hub's owner, without a browser. */
export async function asOperator(hub, method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${hub.port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${hub.operatorKey}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const { data, error } = await answer.json();
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
}

/** How many requests with this method and path a hub has answered so. All three are patterns. */
export function answered(hub, status, method = '\\w+', path = '\\S+') {
  const line = new RegExp(`method=${method} path=${path} .*status=${status} `);
  return hub.said.filter((said) => line.test(said)).length;
}

/** All there is in a hub: the log has an event for every change. */
export async function contents(hub) {
  const { stdout } = await promisify(execFile)(binary, ['admin', 'export', '--home', hub.home], { env: { PATH: process.env.PATH } });
  const log = stdout.trim().split('\n').slice(1); // the first line says when
  const lists = ['/agents', `/agents/${secret}/keys`, '/presets', '/settings', '/sign-ins'];
  const state = await Promise.all(lists.map((path) => asOperator(hub, 'GET', path)));
  return { log, state: JSON.parse(JSON.stringify(state, (name, value) => (name === 'last_used_at' ? undefined : value))) };
}

/** Watches a context. What it returns waits until the browser has nothing more to send. */
export function watch(context) {
  const pending = new Set();
  let settled = () => {};
  const end = (request) => pending.delete(request) && pending.size === 0 && settled();
  context.on('request', (request) => request.resourceType() === 'eventsource' || pending.add(request)); // a stream has no end
  context.on('requestfinished', end);
  context.on('requestfailed', end);
  return () => new Promise((done) => (pending.size === 0 ? done() : (settled = done)));
}

/** Serves the hostile page at any name, on a port of its own. */
export async function startAttacker() {
  const files = {
    '/': ['text/html', '<!doctype html><title>Kittens</title><body><script src="/attack.js"></script>'],
    '/framed': ['text/html', '<!doctype html><body><iframe name="inner" sandbox="allow-scripts allow-forms allow-popups" src="/"></iframe>'],
    '/attack.js': ['text/javascript', await readFile(join(import.meta.dirname, 'attack.js'))],
    '/worker.js': ['text/javascript', await readFile(join(import.meta.dirname, 'worker.js'))],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[new URL(request.url, 'http://x').pathname] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    at: (host) => `http://${host}:${server.address().port}`,
    page: files['/'][1],
    script: String(files['/attack.js'][1]),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
