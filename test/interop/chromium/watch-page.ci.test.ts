import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { bundlePage } from '../../../scripts/bundle-page.ts';
import { run } from '../../support/run.ts';
import { type RunningSide, startRelayCommand, startSide } from '../../support/side.ts';
import { accessibilityFaults, openIn, startBrowser } from './browser.ts';

/* The page on which an emulator or a relay is watched, in a real browser. */

const folder = mkdtempSync(join(tmpdir(), 'authcli-watch-'));
const html = (await bundlePage()).files[0]?.text ?? '';
/** Times in what is watched are real. */
const environment = {
  configFile: join(folder, 'config.json'),
  context: { packageText: async () => html, now: Date.now, randomBytes },
};
const token = ['--ui-token', 'token-of-the-tests-0123456789'];
const running: { stop(): Promise<unknown> }[] = [];

async function emulate(side: 'app' | 'service', ...argv: readonly string[]): Promise<RunningSide> {
  const emulator = await startSide([side, '--ui', ...token, ...argv], environment);
  running.push(emulator);
  return emulator;
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

const registration = (ptnCd: string, partnerSp = 'AAAA') => ({
  client_id: 'authcli-client',
  used_type: '2',
  ptn_cd: ptnCd,
  partner_sp: partnerSp,
});

const browser = startBrowser();
let application: RunningSide;
let service: RunningSide;
before(async () => {
  application = await emulate('app');
  const callbackUrl = `${application.url}/callback`;
  service = await emulate('service', '--callback-url', callbackUrl, '--stack', 'java');
});
after(async () => {
  await Promise.all(running.map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** One page for all tests that need nothing special: a new one takes a second. */
let shared: Page | undefined;

async function open(url: string, options?: BrowserContextOptions) {
  shared ??= await browser().newPage({ viewport: { width: 1600, height: 900 } });
  await shared.goto('about:blank');
  const page = options ? await browser().newPage(options) : shared.removeAllListeners();
  const opened = await openIn(page, url);
  await page.locator('body[data-state="live"]').waitFor();
  return opened;
}

const row = (page: Page, text: string) => page.locator('.row', { hasText: text });
const signUp = (ptn_cd: string, more: object = {}) =>
  service.control('signup', { ptn_cd, ...more });

describe('the page of an emulator in Chromium', () => {
  it('shows a sign-up as it happens', async () => {
    const { page, troubles, requests } = await open(service.page);
    const asked = requests.length;
    await signUp('first-user');
    await row(page, 'first-user').filter({ hasText: 'registration' }).waitFor();
    assert.deepEqual(requests.slice(asked), [], 'it is told, and asks for nothing');
    assert.deepEqual(troubles, []);
  });

  it('explains at both sides what a fault did, with the call that does it right', async () => {
    await application.control('faults', { name: 'oaep-sha1', times: 1 });
    await signUp('faulty').catch(() => {});
    const { page } = await open(application.page);
    await page.locator('.row.is-fault', { hasText: 'faulty' }).click();
    await page.locator('.finding', { hasText: 'Fault on request oaep-sha1' }).waitFor();
    await open(service.page);
    await page.locator('.row.is-bad', { hasText: 'faulty' }).click();
    const call = await page.locator('.finding dd').textContent();
    assert.equal(call, 'Cipher.getInstance("RSA/ECB/PKCS1Padding")');
  });

  it('indents JSON, unless that would change it', async () => {
    const { page } = await open(application.page);
    const nested = '{"ptn_cd":"indented","b":{"c":[1]}}';
    const exact = '{"ptn_cd":"exact","a":12345678901234567890,"a":1}';
    const url = `${application.url}/callback`;
    for (const body of [nested, exact]) await fetch(url, { method: 'POST', body });
    for (const [body, shown] of [
      [nested, JSON.stringify(JSON.parse(nested), null, 2)],
      [exact, exact],
    ]) {
      const ptnCd = JSON.parse(body ?? '').ptn_cd;
      await row(page, 'POST /callback')
        .nth(ptnCd === 'exact' ? 0 : 1)
        .click();
      await page.locator('#detail pre', { hasText: ptnCd }).waitFor();
      assert.equal(await page.locator('#detail pre').first().textContent(), shown);
    }
  });

  it('says one cause once', async () => {
    const { page } = await open(application.page);
    await signUp('one-cause');
    const noise = Buffer.alloc(32, 7).toString('base64');
    await post(`${application.url}/callback`, registration('one-cause', noise));
    await page.locator('.row.is-bad', { hasText: 'one-cause' }).click();
    await page.locator('.finding').first().waitFor();
    assert.equal(await page.locator('.finding').count(), 1);
  });

  it('has nothing secret in it before a click', async () => {
    await signUp('masked', { email: 'very-secret@example.com' });
    const { page, requests } = await open(service.page);
    await row(page, 'masked').filter({ hasText: 'registration' }).click();
    const toggle = page.getByRole('button', { name: 'Show User information' });
    await toggle.waitFor();
    assert.ok(!(await page.content()).includes('very-secret'));
    assert.ok(!requests.some((url) => url.endsWith('/reveal')));
    await toggle.click();
    await page.locator('dd', { hasText: 'very-secret@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    assert.ok(!(await page.content()).includes('very-secret'));
  });

  it('does nothing with what the other side sends but show it', async () => {
    const { page, troubles } = await open(application.page);
    const [evil, shown] = ['\u202egnp.exe\u001b[2J', '\\u202egnp.exe\\u001b[2J'];
    const image = '<img src=x onerror=alert(1)>';
    await post(`${application.url}/callback`, registration(image + evil));
    await row(page, 'onerror').click();
    await page
      .locator('#detail p', { hasText: image + shown })
      .first()
      .waitFor();
    assert.equal(await page.locator('img').count(), 0);
    const text = (await page.locator('body').textContent()) ?? '';
    for (const control of ['\u202e', '\u001b']) assert.ok(!text.includes(control));
    assert.deepEqual(troubles, []);
  });

  it('asks only its own emulator, could not ask another, and is closed to the page of one', async () => {
    const { page, requests, troubles } = await open(service.page);
    await page.locator('#list .row').first().click();
    await page.locator('#detail h2').waitFor();
    const own = `${new URL(service.page).origin}/_authcli/ui/`;
    const others = requests.filter((url) => !url.startsWith(own) && url !== 'data:,');
    assert.deepEqual([others, troubles], [[], []]);
    const asking = (url: string) => `fetch('${url}').then(() => 'asked', () => 'refused')`;
    assert.equal(await page.evaluate(asking(`${application.url}/callback`)), 'refused');
    assert.match(troubles.join(), /Content Security Policy/);
    await page.goto(`${application.url}/callback`);
    assert.equal(await page.evaluate(asking(`${service.page}events`)), 'refused');
  });

  it('shows the rows that contain every word of the search, and counts them', async () => {
    const busy = await emulate('app');
    const { page } = await open(busy.page);
    const users = Array.from({ length: 100 }, (_, index) => `user-${index}`);
    for (const user of users) await post(`${busy.url}/callback`, registration(user));
    const count = (text: string) => page.locator('#count', { hasText: text }).waitFor();
    await count('100 exchanges, 100 failed');
    for (const [text, expected] of [
      ['A107 user-7', '11 of 100 exchanges'],
      ['nothing', '0 of 100 exchanges'],
    ] as const) {
      await page.locator('#search').fill(text);
      await count(expected);
    }
    await page.locator('#clear').click();
    await count('0 exchanges, 0 failed');
  });

  it('goes on when the emulator was stopped and started again', async () => {
    const first = await emulate('app');
    const { port } = new URL(first.url);
    const { page } = await open(first.page);
    const state = (name: string) => page.locator(`body[data-state="${name}"]`).waitFor();
    await post(`${first.url}/callback`, registration('before'));
    await row(page, 'before').waitFor();
    await first.stop();
    await state('waiting');
    const second = await emulate('app', '--port', port);
    await state('live');
    await row(page, 'before').waitFor({ state: 'detached' });
    await post(`${second.url}/callback`, registration('after'));
    await row(page, 'after').waitFor();
    await second.stop();
    await state('waiting');
    const argv = ['app', '--ui', '--port', port, '--ui-token', 'another-token-0123456789'];
    running.push(await startSide(argv, environment));
    await state('other-run');
    assert.match((await page.locator('#connection').textContent()) ?? '', /open the address/);
  });

  for (const [colorScheme, width] of [
    ['dark', 360],
    ['light', 1280],
  ] as const) {
    it(`is whole and for everyone: ${colorScheme}, ${width} pixels`, async () => {
      const viewport = { width, height: 800 };
      const { page, troubles } = await open(service.page, { colorScheme, viewport });
      await page.locator('.row.is-bad', { hasText: 'faulty' }).click();
      await page.locator('.finding').waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      assert.deepEqual(await accessibilityFaults(page), []);
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
});

describe('the page of a relay in Chromium', () => {
  it('shows exchanges without their secrets, and what they teach', async () => {
    const passcode = 'S3cret-Pass-42!';
    const argv = ['--to', `${application.url}/callback`, '--decrypt', '--ui'];
    const relay = await startRelayCommand(argv, environment);
    running.push(relay);
    const { page } = await open(String(relay.events()[0]?.ui_url));
    assert.equal(await page.locator('#side').textContent(), 'relay');
    assert.equal(await page.locator('#learned').isVisible(), false);
    const words = ['simulate-signup', '--url', relay.callbackUrl, '--super-passcode', passcode];
    await run([...words, '--no-save'], { configFile: join(folder, 'caller.json') });
    await row(page, 'key-exchange').waitFor();
    await row(page, 'registration').click();
    await page.locator('#detail dd', { hasText: `${passcode.length} characters` }).waitFor();
    assert.match(await page.locator('#learned').innerText(), /cipher\s+aes-256-cbc\S* certain/);
    const names = await page.locator('#detail button').allTextContents();
    assert.ok(!names.some((name) => /^Show/.test(name)), names.join());
    assert.ok(!(await page.content()).includes(passcode));
    assert.deepEqual(await accessibilityFaults(page), []);
  });
});
