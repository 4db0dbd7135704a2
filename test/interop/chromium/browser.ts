import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { LaunchOptions, Page, PageScreenshotOptions } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The same engine without a window, whose pages open three times as fast. */
const withoutWindow = '/usr/bin/chromium-headless-shell';
const installed = existsSync(withoutWindow) ? withoutWindow : '/usr/bin/chromium';

/** A browser that sends no requests by itself. */
export const launch: LaunchOptions = {
  executablePath: process.env.CHROMIUM ?? installed,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

const folder = process.env.SCREENSHOTS;

/** Saves what the page shows, to be inspected, where SCREENSHOTS names a folder for it. */
export async function screenshot(
  page: Page,
  name: string,
  options: PageScreenshotOptions = {},
): Promise<void> {
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), ...options });
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
