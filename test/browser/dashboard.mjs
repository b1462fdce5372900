// The dashboard of a hub with a team at work, in a real browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Hub, newHome } from '../clients/hub.mjs';

/** The team that scripts/demo makes, in a hub of its own: { hub, team, stop }. */
export async function startTeam(...flags) {
  const hub = await new Hub(await newHome()).start();
  const demo = spawn(process.env.NEXUS_DEMO, ['--hub', hub.base, '--still', '--hold', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(demo, 'exit');
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: demo.stdout }).once('line', resolve);
    ended.then(([status]) => reject(new Error(`the demo ended with ${status}`)));
  });
  ended.catch(() => {});
  async function stop() {
    demo.kill('SIGTERM');
    await ended;
    await hub.stop();
  }
  return { hub, team: JSON.parse(line), stop };
}

const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const pictures = join(import.meta.dirname, 'pictures');
mkdirSync(pictures, { recursive: true });

export const looks = [
  ['light', 1440, 900],
  ['dark', 1440, 900],
  ['light', 360, 780],
  ['dark', 360, 780],
];

/** What a browser without a graphics card says of its own pictures being taken. */
const isOfTheDriver = /GL Driver Message/;

/**
 * Opens a page of the dashboard and waits until it is live. In the end the test fails if the page complained, broke its policy or asked
 * anybody but its hub for anything.
 */
export async function open(t, browser, hub, path, { quietly = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !isOfTheDriver.test(message.text()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)));
  page.on('request', (request) => request.url().startsWith(`${hub.base}/`) || faults.push(`asked ${request.url()}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.exposeFunction('complain', (what) => faults.push(what));
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => complain(`${event.violatedDirective}: ${event.blockedURI}`)));
  await page.goto(hub.base + path);
  t.after(async () => {
    await context.close();
    if (quietly) assert.deepEqual(faults, []);
  });
  await isLive(page);
  return page;
}

export const isLive = (page) => page.locator('[data-live="live"]').waitFor({ state: 'attached' });

/** Looks at a page in every theme and width: nothing sticks out, axe finds nothing, and a picture is kept. */
export async function lookAt(page, name) {
  for (const [colorScheme, width, height] of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px wider than ${width} px`);
    assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}, ${width} px`);
  }
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds, as one line each. Its script is put in as the page's own tests would: past the policy. */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate((values) => axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] }), tags);
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')} — ${node.failureSummary?.split('\n')[1]?.trim()}`));
}
