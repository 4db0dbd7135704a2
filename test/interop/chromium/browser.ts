import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The same engine without a window, whose pages open three times as fast. */
const withoutWindow = '/usr/bin/chromium-headless-shell';
const installed = existsSync(withoutWindow) ? withoutWindow : '/usr/bin/chromium';
const quiet = 'no-sandbox disable-gpu disable-quic no-first-run disable-background-networking';

/** Starts a browser that sends no requests by itself before the tests of a file, and ends it after them. */
export function startBrowser(): () => Browser {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? installed,
      args: `${quiet} disable-component-update disable-sync`.split(' ').map((name) => `--${name}`),
    });
  });
  after(() => browser.close());
  return () => browser;
}

/** Opens a URL; `troubles` is what the console said, errors and dialogs. */
export async function openIn(page: Page, url: string) {
  const [troubles, requests]: [string[], string[]] = [[], []];
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => troubles.push(dialog.message()));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, troubles, requests };
}

/** What axe finds: rule and place, none where all is well. Marks like ✓ are not text to it. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  // Places of what passes are not asked for: they take most of the time.
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations } = found as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
  );
}
