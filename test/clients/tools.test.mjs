// Programs of others that judge a hub: the conformance suite of MCP, and a linter of OpenAPI.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Hub, newHome } from './hub.mjs';

let hub;

before(async () => {
  hub = await new Hub(await newHome()).start();
});
after(() => hub.stop());

/** Runs a program of node_modules and returns what it says; a bad ending fails the test. */
async function run(name, ...args) {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'node_modules/.bin', name), ...args], {
    cwd: hub.home,
    env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [status] = await once(program, 'close');
  assert.equal(status, 0, said);
  return said;
}

describe('conformance', () => {
  let key;

  before(async () => {
    key = await hub.key('conformance');
  });

  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'logging-set-level',
    'dns-rebinding-protection',
  ]) {
    test(scenario, async (t) => {
      const said = await run('conformance', 'server', '--url', `${hub.base}/mcp?api_key=${key}`, '--scenario', scenario);
      const [closing, passed, checks] = /^Passed: (\d+)\/(\d+), 0 failed, 0 warnings$/m.exec(said) ?? assert.fail(said);
      assert.ok(passed === checks && Number(checks) > 0, said);
      t.diagnostic(`conformance ${scenario}: ${closing}`);
    });
  }
});

test('the description of the REST interface passes redocly', async (t) => {
  const said = await run('redocly', 'lint', `${hub.base}/api/v1/openapi.json`);
  const [closing] = /^.*API description is valid.*$/m.exec(said) ?? assert.fail(said);
  assert.doesNotMatch(said, /warning/i);
  t.diagnostic(`redocly: ${closing}`);
});
