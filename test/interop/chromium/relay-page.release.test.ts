import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { bundlePage } from '../../../scripts/bundle-page.ts';
import { type PeerApplication, startApplication } from '../../support/peer-application.ts';
import { type RelayCommand, startRelayCommand } from '../../support/relay-command.ts';
import { run } from '../../support/run.ts';
import { accessibilityFaults, launch } from './browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-relay-page-'));
const html = (await bundlePage()).files[0]?.text ?? '';
const passcode = 'S3cret-Pass-42!';

let browser: Browser;
let app: PeerApplication;
let relay: RelayCommand;
let page: Page;
const troubles: string[] = [];

before(async () => {
  browser = await chromium.launch(launch);
  app = await startApplication();
  relay = await startRelayCommand(['--to', app.url.href, '--decrypt', '--ui'], {
    configFile: join(folder, 'relay.json'),
    context: { pageHtml: async () => html, now: Date.now, randomBytes },
  });
  page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(String(relay.events()[0]?.ui_url));
  await page.locator('body[data-state="live"]').waitFor();
});
after(async () => {
  await browser.close();
  await relay.stop();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (text: string) => page.locator('.row', { hasText: text });

describe('the page of a relay in Chromium', () => {
  it('shows nothing that only an emulator has', async () => {
    assert.equal(await page.locator('#side').textContent(), 'relay');
    for (const id of ['open-signup', 'open-faults', 'learned'])
      assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
    await page.keyboard.press('x');
    await page.keyboard.press('s');
    assert.equal(await page.locator('dialog[open]').count(), 0);
  });

  it('shows exchanges as they pass, and what they teach', async () => {
    const words = ['simulate-signup', '--url', relay.callbackUrl, '--ptn-cd', 'alice'];
    const configFile = join(folder, 'caller.json');
    await run([...words, '--super-passcode', passcode, '--json'], { configFile });
    await row('key-exchange').waitFor();
    await row('registration').waitFor();
    await page.locator('#learned dd', { hasText: 'aes-256-cbc' }).waitFor();
    const learned = await page.locator('#learned').innerText();
    assert.match(learned, /cipher\s+aes-256-cbc\S* certain/);
  });

  it('shows an exchange without its secrets, and offers none', async () => {
    await row('registration').click();
    await page.locator('#detail dd', { hasText: `${passcode.length} characters` }).waitFor();
    const names = await page.locator('#detail button').allTextContents();
    assert.deepEqual(
      names.filter((name) => /^Show|curl/.test(name)),
      [],
    );
    assert.ok(!(await page.content()).includes(passcode));
    assert.deepEqual(await accessibilityFaults(page), []);
  });
});
