// A hub of our own: the real binary in a home that nobody else uses.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const binary = process.env.NEXUS_BINARY ?? 'nexus';

/** A new directory below the one that run.sh removes in the end. */
export const newHome = () => mkdtemp(join(process.env.NEXUS_TEST_DIR ?? tmpdir(), 'home-'));

const running = new Set();
process.once('SIGTERM', () => process.exit(1));
process.once('exit', () => running.forEach((hub) => hub.kill('SIGKILL')));

export class Hub {
  said = []; // on standard error
  #process;
  #port = 0; // any free one at first, the same after a restart

  constructor(home, ...flags) {
    this.home = home;
    this.flags = flags;
  }

  async start() {
    const { said } = this;
    const hub = spawn(binary, ['serve', '--port', String(this.#port), ...this.flags], {
      env: { PATH: process.env.PATH, HOME: this.home, NEXUS_HOME: this.home, NEXUS_NO_BANNER: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = hub;
    running.add(hub);
    hub.once('exit', () => running.delete(hub));
    await new Promise((ready, fail) => {
      createInterface({ input: hub.stderr }).on('line', (line) => {
        said.push(line);
        this.base = /http:\/\/\S+(?=\/mcp$)/.exec(line)?.[0] ?? this.base;
        if (line.includes('Nexus is ready')) ready();
      });
      hub.once('error', fail);
      hub.once('close', (status) => fail(new Error(`the hub ended with ${status}:\n${said.join('\n')}`)));
    });
    this.#port = new URL(this.base).port;
    return this;
  }

  async stop(signal = 'SIGTERM') {
    const hub = this.#process;
    if (hub.exitCode !== null || hub.signalCode !== null) return;
    const ended = once(hub, 'exit');
    hub.kill(signal);
    await ended;
  }

  /** Ends the hub and starts it again at the same address. */
  async restart(signal) {
    await this.stop(signal);
    await this.start();
  }

  /** Makes an agent and returns its key. */
  async key(agent) {
    const answer = await fetch(`${this.base}/api/v1/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: agent }),
    });
    const { data, error } = await answer.json();
    if (error) throw new Error(`${error.code}: ${error.message}`);
    return data.api_key;
  }

  /** Returns once so many calls are parked, and fails if that takes too long. */
  async parked(count) {
    let waiters;
    for (const end = Date.now() + 20_000; Date.now() < end; ) {
      const text = await (await fetch(`${this.base}/metrics`)).text();
      waiters = Number(/^nexus_waiters (\d+)$/m.exec(text)[1]);
      if (waiters === count) return;
    }
    throw new Error(`${waiters} calls are parked, want ${count}`);
  }
}
