// The official clients, and where they find Nexus.

import assert from 'node:assert/strict';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

import { binary, Hub, newHome } from './hub.mjs';

/** Remembers the version, which this generation tells only its transport. */
class Stdio1 extends StdioClientTransport {
  setProtocolVersion(version) {
    this.protocolVersion = version;
  }
}

const v1 = { Client: Client1, Http: Http1, Stdio: Stdio1, options: {}, call: (c, p, o) => c.callTool(p, undefined, o) };
const v2 = { Client: Client2, Http: Http2, Stdio: Stdio2, options: {}, call: (c, p, o) => c.callTool(p, o) };
const header = (name, value) => (url) => [url, { requestInit: { headers: { [name]: value } } }];

/** Each sends its key in another of the three places. */
export const clients = [
  { ...v1, name: 'sdk 1', version: '2025-11-25', keyed: (key) => header('authorization', `Bearer ${key}`) },
  { ...v2, name: 'client 2', version: '2025-11-25', keyed: (key) => header('x-api-key', key) },
  {
    ...v2,
    name: 'client 2, auto',
    version: '2026-07-28',
    options: { versionNegotiation: { mode: 'auto' } },
    keyed: (key) => (url) => [new URL(`?api_key=${key}`, url)],
  },
];

/** How long a call may wait: one is answered as JSON over HTTP, one as a stream. */
export const patiences = [30, 60];

/** One agent on one connection. */
export class Agent {
  constructor(kind, id, transport) {
    Object.assign(this, { kind, id, transport, errors: [] });
    this.client = new kind.Client({ name: id, version: '1.0.0' }, kind.options);
    this.client.onerror = (error) => this.errors.push(error);
  }

  async connect() {
    await this.client.connect(this.transport);
    return this;
  }

  close() {
    return this.client.close();
  }

  /** Something that is answered while other calls wait; the new protocol has no ping. */
  alive() {
    return this.kind.version < '2026-07-28' ? this.client.ping() : this.data('nexus_info');
  }

  /** The envelope that a tool answers with, the same in both forms. */
  async ask(tool, args = {}, options = undefined) {
    const result = await this.kind.call(this.client, { name: tool, arguments: args }, options);
    assert.ok(!result.isError);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  }

  async data(tool, args, options) {
    const { ok, data, error } = await this.ask(tool, args, options);
    assert.ok(ok, `${tool}: ${error?.code}: ${error?.message}`);
    return data;
  }

  async refusal(tool, args) {
    const { ok, error } = await this.ask(tool, args);
    assert.equal(ok, false);
    return error;
  }
}

/** A home, perhaps with a hub, and the agents connected there. */
export class Team {
  agents = [];

  static async start(kind, { hub, http }) {
    const team = new Team();
    Object.assign(team, { kind, http, home: await newHome() });
    if (hub || http) team.hub = await new Hub(team.home).start();
    return team;
  }

  async close() {
    await Promise.all(this.agents.map((agent) => agent.close()));
    await this.hub?.stop();
  }

  async join(id) {
    const agent = new Agent(this.kind, id, this.http ? await this.#http(id) : this.#stdio());
    this.agents.push(agent);
    await agent.connect();
    this.workspace = await agent.data('workspace_resolve', { project_root: this.home });
    await agent.data('agent_register', { agent_id: id });
    await agent.data('session_open', { agent_id: id, workspace_id: this.workspace.workspace_id });
    return agent;
  }

  async #http(id) {
    const place = this.kind.keyed(await this.hub.key(id));
    return new this.kind.Http(...place(new URL(`${this.hub.base}/mcp`)));
  }

  #stdio() {
    return new this.kind.Stdio({ command: binary, args: ['mcp'], env: { NEXUS_HOME: this.home } });
  }

  send(from, to, body, subject = 'a word') {
    return from.ask('message_create', {
      project_root: this.home,
      from_agent_id: from.id,
      target: { strategy: 'direct', agent_id: to.id },
      subject,
      body,
    });
  }

  /** Begins to wait for the first event after a cursor. The call is under way when this returns. */
  async wait(agent, cursor, seconds = 30, options = undefined) {
    const answer = agent.data(
      'event_wait',
      { project_root: this.home, agent_id: agent.id, stream: 'workspace', cursor, timeout_seconds: seconds },
      options,
    );
    answer.catch(() => {}); // whoever awaits it hears of it
    await agent.alive();
    await this.hub?.parked(1);
    return { answer };
  }
}
