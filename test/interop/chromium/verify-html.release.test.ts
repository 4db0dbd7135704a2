import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { diagnosis } from '../../../src/diagnosis/diagnosis.ts';
import { loadHtml } from '../../../src/reports/load.ts';
import { toVerifyDocument } from '../../../src/reports/verify-document.ts';
import { verifyHtml } from '../../../src/reports/verify-html.ts';
import { application, verify } from '../../conformance/support.ts';
import { hostileLoad, loadDocument } from '../../support/load-sample.ts';
import { failedCheck, hostileRun, run } from '../../support/verify-sample.ts';
import { accessibilityFaults, openIn, startBrowser } from './browser.ts';

/* The HTML reports in a real browser. */

const folder = mkdtempSync(join(tmpdir(), 'authcli-chromium-'));
const browser = startBrowser();
after(() => rmSync(folder, { recursive: true, force: true }));

/** A run against the emulated application with these faults. */
async function realRun(...faults: readonly string[]): Promise<string> {
  const result = await verify(application(...faults));
  const document = toVerifyDocument(result, {
    command: 'verify',
    target: 'http://localhost/callback',
    version: '0.1.0',
    insecure: false,
    repeatCommand: (id) => `authcli verify --url ${result.url?.href} ${id ? `--check ${id}` : ''}`,
    baseline: { known: new Map(), stale: [], expired: [] },
  });
  return verifyHtml(document);
}

const nobody = diagnosis('refused', 'Nobody listens.', 'Start it.');
const nothing = failedCheck({ exchanges: [], evidence: undefined });
const missed = { threshold: 'p99 at most 30 ms', kept: false, observed: '40 ms' };
const load = { thresholds: [missed], notes: ['It was busy.'] };
const faults = ['oaep-sha1', 'never-decrypts', 'accepts-unknown-user', 'text-content-type'];

const reports: readonly (readonly [name: string, make: () => string | Promise<string>])[] = [
  ['failing', () => realRun(...faults)],
  ['passing', () => realRun()],
  ['unreachable', () => verifyHtml(run([nothing], { unreachable: nobody, users: [] }))],
  ['hostile', () => verifyHtml(hostileRun())],
  ['load', () => loadHtml(loadDocument({ failed: 2 }, load))],
  ['load of hostile text', () => loadHtml(hostileLoad())],
];

function saved(name: string, html: string): string {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  return pathToFileURL(file).href;
}

const open = async (url: string, options: BrowserContextOptions) =>
  openIn(await browser().newPage(options), url);

describe('the HTML report in Chromium', () => {
  for (const [name, make] of reports) {
    it(`is shown whole, quietly, for everyone and without a script: ${name}`, async () => {
      const url = saved(name, await make());
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, troubles, requests } = await open(url, { colorScheme });
        for (const width of [375, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
          assert.deepEqual(await accessibilityFaults(page), [], `${width}`);
        }
        assert.deepEqual(requests, [url], 'asks for nothing but itself');
        assert.deepEqual(troubles, []);
        await page.close();
      }
      const { page } = await open(url, { javaScriptEnabled: false });
      assert.equal(await page.locator('h1').count(), 1);
      const pdf = await page.pdf({ preferCSSPageSize: true });
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
      await page.close();
    });
  }
});
