import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
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
  context: { pageHtml: async () => html, now: Date.now, randomBytes },
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
  service = await emulate('service', '--callback-url', `${application.url}/callback`);
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
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  return { ...opened, press, focused: () => page.evaluate('document.activeElement.id') };
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

  it('switches a fault on for one call, and explains what it did, at both sides', async () => {
    const { page } = await open(application.page);
    await page.locator('#open-faults').click();
    await page.locator('#fault-search').fill('OAEP SHA-1');
    await page.locator('.choice').first().click();
    await page.locator('[value=calls]').check();
    await page.locator('#faults .main').click();
    await page.locator('#active-faults', { hasText: 'oaep-sha1, 1 more call' }).waitFor();
    await signUp('faulty').catch(() => {});
    await page.locator('.row.is-fault', { hasText: 'faulty' }).click();
    await page.locator('.finding', { hasText: 'Fault on request oaep-sha1' }).waitFor();
    await page.locator('#active-faults').waitFor({ state: 'hidden' });
    // The service says why, with the call that does it right in each language.
    await open(service.page);
    await page.locator('.row.is-bad', { hasText: 'faulty' }).click();
    const tabs = page.getByRole('tab');
    await tabs.first().focus();
    const panel = page.locator('.finding pre');
    assert.equal(await panel.textContent(), 'Cipher.getInstance("RSA/ECB/PKCS1Padding")');
    await page.keyboard.press('ArrowRight');
    assert.match((await panel.textContent()) ?? '', /^crypto\.publicEncrypt/);
    assert.equal(await tabs.nth(1).getAttribute('aria-selected'), 'true');
  });

  it('signs a user up at the emulated application, and names the command that does the same', async () => {
    const { page } = await open(application.page);
    await page.locator('#open-signup').click();
    const commands = await page.locator('#signup-commands').textContent();
    assert.ok(commands?.includes(`authcli simulate-signup --url ${application.url}/callback`));
    assert.equal(await page.evaluate('document.activeElement.name'), 'ptn_cd');
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Enter');
    await page.locator('#detail h2', { hasText: 'by-keyboard' }).waitFor();
    assert.equal(await page.locator('#notice').textContent(), 'by-keyboard is signed up.');
    assert.equal(await row(page, 'by-keyboard').count(), 2);
  });

  it('asks for the callback URL that the service was started without', async () => {
    const { page, press } = await open((await emulate('service')).page);
    await press('s');
    assert.equal(await page.evaluate('document.activeElement.name'), 'callback_url');
    await page.keyboard.type(`${application.url}/callback`);
    await page.locator('#signup [name=ptn_cd]').fill('by-address');
    await page.locator('#signup .main').click();
    await page.locator('#detail h2', { hasText: 'by-address' }).waitFor();
  });

  it('copies a request as curl, which the shell sends again', async () => {
    const { page } = await open(application.page, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await post(`${application.url}/callback`, registration("it's-copied"));
    await row(page, "it's-copied").click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(command, /^curl --request POST /);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    assert.equal(JSON.parse(stdout).code, 'A107');
    await page.getByRole('button', { name: 'Copy body' }).first().click();
    // A button says "Copied" for a moment only, which a busy machine may miss.
    await page.waitForFunction(
      `navigator.clipboard.readText().then((text) => text.includes('"used_type":"2"') && text[0] === '{')`,
    );
    await page.close();
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
    const field = page.locator('.fields > div', { hasText: 'ubifill' });
    await field.waitFor();
    assert.ok(!(await page.content()).includes('very-secret'));
    assert.ok(!requests.some((url) => url.endsWith('/reveal')));
    const toggle = field.getByRole('button', { name: 'Show' });
    await toggle.click();
    await field.locator('.value', { hasText: 'very-secret@example.com' }).waitFor();
    await toggle.click();
    assert.ok(!(await page.content()).includes('very-secret'));
  });

  it('does nothing with what the other side sends but show it', async () => {
    const { page, troubles } = await open(application.page);
    const [evil, shown] = ['\u202egnp.exe\u001b[2J', '\\u202egnp.exe\\u001b[2J'];
    const image = '<img src=x onerror=alert(1)>';
    await post(`${application.url}/callback`, registration(image + evil));
    await row(page, 'onerror').click();
    await page.locator('#detail h2', { hasText: image + shown }).waitFor();
    await page.locator('.messages pre').first().waitFor();
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
    assert.equal(await page.evaluate(asking(`${service.page}faults`)), 'refused');
  });

  it('is led by the keyboard alone', async () => {
    const { page, press, focused } = await open(service.page);
    const chosen = () => page.locator('.row[aria-selected=true]').getAttribute('id');
    await press('/');
    assert.equal(await focused(), 'search');
    await page.keyboard.type('op:key-exchange');
    await press('Enter');
    assert.equal(await focused(), 'list');
    const first = await chosen();
    await press('j');
    const second = await chosen();
    assert.notEqual(second, first);
    assert.equal(await page.locator('#list').getAttribute('aria-activedescendant'), second);
    await press('ArrowUp');
    assert.equal(await chosen(), first);
    await press('Enter');
    await page.locator('#detail-title:focus').waitFor();
    await press('Escape');
    assert.equal(await focused(), 'list');
    for (const [key, isShown] of [
      ['?', true],
      ['Escape', false],
    ] as const) {
      await press(key);
      assert.equal(await page.locator('#help').isVisible(), isShown);
    }
    await press('f');
    assert.equal(await page.locator('#failures').getAttribute('aria-pressed'), 'true');
    await press('/', 'Escape');
    assert.equal(await page.locator('#search').inputValue(), '');
  });

  it('is light or dark as the system is, or as was chosen, also after loading again', async () => {
    const { page } = await open(service.page, { colorScheme: 'light' });
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await colour();
    assert.notEqual(dark, light);
    await page.keyboard.press('t');
    assert.equal(await colour(), light);
    await page.reload();
    assert.equal(await colour(), light);
    await page.locator('#theme').click();
    await page.emulateMedia({ colorScheme: 'light' });
    assert.equal(await colour(), dark);
    await page.close();
  });

  it('stays fluid with a thousand exchanges', async () => {
    const busy = await emulate('app');
    const { page, press } = await open(busy.page);
    for (let start = 0; start < 1000; start += 50) {
      const users = Array.from({ length: 50 }, (_, index) => `user-${start + index}`);
      await Promise.all(users.map((user) => post(`${busy.url}/callback`, registration(user))));
    }
    await page.locator('#count', { hasText: /^1000 exchanges/ }).waitFor();
    // Only what is on the screen is ever in the page.
    const rows = page.locator('#list .row');
    for (const text of ['', 'user-7']) {
      await page.locator('#search').fill(text);
      assert.ok((await rows.count()) < 80, text);
    }
    await page.locator('#search').fill('user-777');
    assert.equal(await rows.count(), 1);
    await press('Escape', 'Escape', 'End');
    const last = await page.locator('.row[aria-selected=true] .user').textContent();
    assert.match(last ?? '', /^user-\d\d?$/);
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

  const looks: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    list: async () => {},
    failure: (page) => page.locator('.row.is-bad', { hasText: 'faulty' }).click(),
    faults: (page) => page.keyboard.press('x'),
    signup: (page) => page.keyboard.press('s'),
    help: (page) => page.keyboard.press('?'),
  };
  for (const [colorScheme, width, isWide] of [
    ['dark', 360, false],
    ['light', 1280, true],
  ] as const) {
    it(`is whole and for everyone: ${colorScheme}, ${width} pixels`, async () => {
      const viewport = { width, height: 800 };
      const { page, press, troubles } = await open(service.page, { colorScheme, viewport });
      await page.locator('#list .row').first().waitFor();
      for (const [name, show] of Object.entries(looks)) {
        await show(page);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
        assert.deepEqual(await accessibilityFaults(page), [], name);
        await press('Escape');
      }
      const cut = `[...document.querySelectorAll('#list .row :is(.what, .why, .code)')]
        .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`;
      if (isWide) assert.deepEqual(await page.evaluate(cut), []);
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
});

describe('the page of a relay in Chromium', () => {
  it('shows exchanges without their secrets, what they teach, and nothing that only an emulator has', async () => {
    const passcode = 'S3cret-Pass-42!';
    const argv = ['--to', `${application.url}/callback`, '--decrypt', '--ui'];
    const relay = await startRelayCommand(argv, environment);
    running.push(relay);
    const { page, press } = await open(String(relay.events()[0]?.ui_url));
    assert.equal(await page.locator('#side').textContent(), 'relay');
    for (const id of ['open-signup', 'open-faults', 'learned'])
      assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
    await press('x', 's');
    assert.equal(await page.locator('dialog[open]').count(), 0);

    const words = ['simulate-signup', '--url', relay.callbackUrl, '--super-passcode', passcode];
    await run([...words, '--no-save'], { configFile: join(folder, 'caller.json') });
    await row(page, 'key-exchange').waitFor();
    await row(page, 'registration').click();
    await page.locator('#detail dd', { hasText: `${passcode.length} characters` }).waitFor();
    assert.match(await page.locator('#learned').innerText(), /cipher\s+aes-256-cbc\S* certain/);
    const names = await page.locator('#detail button').allTextContents();
    assert.ok(!names.some((name) => /^Show|curl/.test(name)), names.join());
    assert.ok(!(await page.content()).includes(passcode));
    assert.deepEqual(await accessibilityFaults(page), []);
  });
});
