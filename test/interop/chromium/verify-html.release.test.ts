import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { LoadDocument } from '../../../src/reports/load-document.ts';
import { loadHtml } from '../../../src/reports/load-html.ts';
import type { VerifyDocument } from '../../../src/reports/verify-document.ts';
import { toVerifyDocument } from '../../../src/reports/verify-document.ts';
import { verifyHtml } from '../../../src/reports/verify-html.ts';
import { application, verify } from '../../conformance/support.ts';
import { hostileLoad, loadDocument } from '../../support/load-sample.ts';
import { failedCheck, hostileRun, run } from '../../support/verify-sample.ts';
import { accessibilityFaults, launch, screenshot } from './browser.ts';

/* The HTML report in a real browser. */

const folder = mkdtempSync(join(tmpdir(), 'authcli-chromium-'));
/** A run against the emulated application with these faults. */
async function realRun(...faults: readonly string[]): Promise<VerifyDocument> {
  const result = await verify(application(...faults));
  return toVerifyDocument(result, {
    command: 'verify',
    target: 'http://localhost/callback',
    version: '0.1.0',
    insecure: false,
    repeatCommand: (id) =>
      ['authcli verify --url', result.url?.href, ...(id ? ['--check', id] : [])].join(' '),
    baseline: { known: new Map(), stale: [], expired: [] },
  });
}

const refused = {
  code: 'refused',
  message: 'Nobody listens at localhost:8080.',
  hint: 'Start it.',
  calls: {},
} as const;

/** Reports of loads, beside those of runs of checks. */
const loads: Readonly<Record<string, () => LoadDocument>> = {
  load: () => loadDocument({ failed: 2 }, { thresholds: [missed], notes: ['It was busy.'] }),
  'load of hostile text': hostileLoad,
};

const missed = { threshold: 'p99 at most 30 ms', kept: false, observed: '40 ms' };

const documents: Readonly<Record<string, () => VerifyDocument | Promise<VerifyDocument>>> = {
  failing: () =>
    realRun('oaep-sha1', 'never-decrypts', 'accepts-unknown-user', 'text-content-type'),
  passing: () => realRun(),
  unreachable: () =>
    run([failedCheck({ exchanges: [], evidence: undefined })], { unreachable: refused, users: [] }),
  hostile: hostileRun,
};

const widths = [375, 1280, 1400] as const;

interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

/** What a page did beside being shown. */
interface Watched {
  readonly page: Page;
  readonly console: string[];
  readonly requests: string[];
}

let browser: Browser;
before(async () => {
  browser = await chromium.launch(launch);
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(url: string, view: View): Promise<Watched> {
  const { colorScheme, width } = view;
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const watched: Watched = { page, console: [], requests: [] };
  page.on('console', (message) => watched.console.push(message.text()));
  page.on('pageerror', (error) => watched.console.push(error.message));
  page.on('dialog', (dialog) => watched.console.push(dialog.message()));
  page.on('request', (request) => watched.requests.push(request.url()));
  await page.goto(url);
  return watched;
}

const pages: readonly (readonly [name: string, make: () => Promise<string>])[] = [
  ...Object.entries(documents).map(
    ([name, make]) => [name, async () => verifyHtml(await make())] as const,
  ),
  ...Object.entries(loads).map(([name, make]) => [name, async () => loadHtml(make())] as const),
];

for (const [name, make] of pages) {
  describe(`the HTML report in Chromium: ${name}`, () => {
    const file = join(folder, `${name}.html`);
    const url = pathToFileURL(file).href;
    before(async () => writeFileSync(file, await make()));

    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is shown whole, quietly and for everyone: ${colorScheme}`, async () => {
        const { page, console, requests } = await open(url, { colorScheme, width: widths[0] });
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          await screenshot(page, `${name}-${colorScheme}-${width}`, { fullPage: true });
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
          assert.deepEqual(await accessibilityFaults(page), [], `${width}`);
        }
        assert.deepEqual(requests, [url], 'asks for nothing but itself');
        assert.deepEqual(console, []);
        await page.close();
      });
    }

    it('is the same without a script, and prints', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(url);
      assert.equal(await page.locator('h1').count(), 1);
      const pdf = await page.pdf({ preferCSSPageSize: true });
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
      await context.close();
    });
  });
}
