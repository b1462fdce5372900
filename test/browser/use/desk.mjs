// What all who use the dashboard share: one hub with a team at work, one browser, and what the hub says without a browser.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { launch } from '../browser.mjs';
import { open, startTeam } from '../dashboard.mjs';

export const desk = {};

before(async () => {
  const [browser, { hub, team, stop }] = await Promise.all([launch(), startTeam()]);
  Object.assign(desk, { browser, hub, team, stop, nexus: team.ids['workspace.nexus'] });
});
after(async () => {
  await desk.browser?.close();
  await desk.stop?.();
});

/** Opens a page as whoever sits at the hub's machine. */
export async function visit(t, path, options) {
  const page = await open(t, desk.browser, desk.hub, path, options);
  page.setDefaultTimeout(15_000);
  return page;
}

async function ask(op, input, key, hub) {
  const answer = await fetch(`${hub.base}/api/v1/op/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(input),
  });
  return { status: answer.status, ...(await answer.json()) };
}

/** A call of whoever runs the hub, or of the agent whose key it is. */
export async function call(op, input = {}, key = undefined, hub = desk.hub) {
  const { data, error } = await ask(op, input, key, hub);
  if (error) throw new Error(`${op}: ${error.code}: ${error.message}`);
  return data;
}

/** The code with which the hub refuses a call. */
export async function refusal(op, input, key) {
  const { ok, error } = await ask(op, input, key, desk.hub);
  assert.equal(ok, false, `${op} was not refused`);
  return error.code;
}

/** An agent nobody else uses, who is there: what it calls is called with its key. */
export async function newAgent(agent_id, { role, capabilities, workspace = desk.nexus } = {}) {
  const { api_key } = await call('agent_create', { agent_id, role, capabilities });
  const own = (op, input = {}) => call(op, { agent_id, ...input }, api_key);
  await own('session_open', { workspace_id: workspace });
  return {
    agent_id,
    api_key,
    call: own,
    work: (op, input) => own(op, { project_root: workspace, ...input }),
    /** Takes its mail and acknowledges it, oldest first. */
    async mail() {
      const { messages } = await own('inbox_pull');
      if (messages.length > 0) await own('inbox_ack', { message_ids: messages.map((message) => message.message_id) });
      return messages;
    },
    write: (agent, body, more) =>
      call('message_create', { project_root: workspace, from_agent_id: agent_id, subject: body, body, target: { strategy: 'direct', agent_id: agent }, ...more }, api_key),
  };
}

/** Asks again and again until it is so; for what the hub does by itself and shows nowhere. */
export async function eventually(isSo) {
  for (const end = Date.now() + 15_000; Date.now() < end; await new Promise((soon) => setTimeout(soon, 50))) if (await isSo()) return;
  assert.fail(`it never was so: ${isSo}`);
}

/** The inspector, and a dialog that asks. */
export const inspector = (page) => page.getByRole('complementary', { name: 'Inspector' });
export const dialog = (page, name) => page.getByRole('dialog', { name });

/** Chooses from a menu that is open, or opens from this button. */
export async function choose(page, button, item) {
  await button.click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Names of the operations that a page called to change something, from now on. */
export function changes(page) {
  const names = [];
  page.on('request', (request) => {
    const name = /\/op\/(\w+)$/.exec(request.url())?.[1];
    if (name && !/^observe_|_list$|_get$|_entry$|_directory$|_browse$|_search$/.test(name)) names.push(name);
  });
  return names;
}
