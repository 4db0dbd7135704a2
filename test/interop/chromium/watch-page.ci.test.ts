import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { bundlePage } from '../../../scripts/bundle-page.ts';
import { AuthcliError } from '../../../src/errors.ts';
import { run } from '../../support/run.ts';
import { accessibilityFaults, launch, screenshot } from './browser.ts';

/* The page on which an emulator is watched, in a real browser. */

const folder = mkdtempSync(join(tmpdir(), 'authcli-watch-'));
const configFile = join(folder, 'config.json');
const token = 'token-of-the-tests-0123456789';
const html = (await bundlePage()).files[0]?.text ?? '';

interface Emulator {
  readonly url: string;
  readonly page: string;
  stop(): Promise<void>;
}

/** Starts an emulator with its page; times in it are real. */
async function emulate(side: 'app' | 'service', ...argv: readonly string[]): Promise<Emulator> {
  const stop = new AbortController();
  const uiToken = argv.includes('--ui-token') ? [] : ['--ui-token', token];
  let ended: Promise<unknown> = Promise.resolve();
  let isListening = false;
  const listening = await new Promise<{ url: string; ui_url: string }>((resolve, reject) => {
    ended = run(['emulate', side, '--json', '--ui', ...uiToken, ...argv], {
      configFile,
      signal: stop.signal,
      context: { pageHtml: async () => html, now: Date.now, randomBytes },
      onStdout: (text) => {
        if (!isListening) resolve(JSON.parse(text));
        isListening = true;
      },
    }).then(({ stderr, status }) => reject(new Error(`${status}: ${stderr}`)));
    ended.catch(() => undefined);
  });
  const emulator = {
    url: listening.url,
    page: listening.ui_url,
    stop: async () => {
      stop.abort(new AuthcliError('interrupted', 'Interrupted.'));
      await ended.catch(() => undefined);
    },
  };
  running.push(emulator);
  return emulator;
}

/** Also those that a test which fails leaves behind. */
const running: Emulator[] = [];

const json = { 'content-type': 'application/json;charset=utf-8' };

async function post(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (await fetch(url, { method: 'POST', headers: json, body: text })).json();
}

const signUp = ({ url }: Emulator, order: unknown = {}) => post(`${url}/_authcli/signup`, order);

const registration = (ptnCd: string) => ({
  client_id: 'authcli-client',
  used_type: '2',
  ptn_cd: ptnCd,
  partner_sp: 'AAAA',
});

let browser: Browser;
let application: Emulator;
let service: Emulator;
before(async () => {
  browser = await chromium.launch(launch);
  application = await emulate('app');
  service = await emulate('service', '--callback-url', `${application.url}/callback`);
});
after(async () => {
  await browser.close();
  await Promise.all(running.map((emulator) => emulator.stop()));
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** What the console said, errors and dialogs. */
  readonly troubles: string[];
  readonly requests: string[];
}

/** One page for all tests that need nothing special: a new one takes a second. */
let shared: Page | undefined;

async function open(url: string, options?: BrowserContextOptions): Promise<Opened> {
  const page = options === undefined ? await sharedPage() : await browser.newPage(options);
  page.setDefaultTimeout(60_000);
  const opened: Opened = { page, troubles: [], requests: [] };
  page.on('console', (message) => opened.troubles.push(message.text()));
  page.on('pageerror', (error) => opened.troubles.push(error.message));
  page.on('dialog', (dialog) => opened.troubles.push(dialog.message()));
  page.on('request', (request) => opened.requests.push(request.url()));
  await page.goto(url);
  await page.locator('body[data-state="live"]').waitFor();
  return opened;
}

async function sharedPage(): Promise<Page> {
  shared ??= await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await shared.goto('about:blank');
  return shared.removeAllListeners();
}

const rows = (page: Page) => page.locator('#list .row');

describe('the page of an emulator in Chromium', () => {
  it('shows a sign-up as it happens', async () => {
    const { page, troubles, requests } = await open(service.page);
    const asked = requests.length;
    await signUp(service, { ptn_cd: 'first-user' });
    await page
      .locator('.row', { hasText: 'first-user' })
      .filter({ hasText: 'registration' })
      .waitFor();
    assert.deepEqual(requests.slice(asked), [], 'it is told, and asks for nothing');
    assert.deepEqual(troubles, []);
  });

  it('sends a sign-up and shows what came of it', async () => {
    const { page } = await open(service.page);
    await page.locator('#open-signup').click();
    await page.locator('[name=ptn_cd]').fill('by-button');
    await page.locator('#signup .main').click();
    await page.locator('#detail h2', { hasText: 'by-button' }).waitFor();
    assert.equal(await page.locator('#notice').textContent(), 'by-button is signed up.');
  });

  it('switches a fault on for one call, and explains what it did', async () => {
    const { page } = await open(application.page);
    await page.locator('#open-faults').click();
    await page.locator('#fault-search').fill('OAEP SHA-1');
    await page.locator('.choice').first().click();
    await page.locator('[value=calls]').check();
    await page.locator('#faults .main').click();
    await page.locator('#active-faults', { hasText: 'oaep-sha1, 1 more call' }).waitFor();
    await signUp(service, { ptn_cd: 'spoilt' });
    await page.locator('.row.is-fault', { hasText: 'spoilt' }).click();
    const finding = page.locator('.finding');
    await finding.waitFor();
    assert.match((await finding.textContent()) ?? '', /Fault on request oaep-sha1/);
    await page.locator('#active-faults').waitFor({ state: 'hidden' });
  });

  it('says why an application failed, with the call that does it right in each language', async () => {
    const { page } = await open(service.page);
    await page.locator('.row.is-bad', { hasText: 'spoilt' }).click();
    const tabs = page.getByRole('tab');
    await tabs.first().waitFor();
    const panel = page.locator('.finding pre');
    assert.equal(await panel.textContent(), 'Cipher.getInstance("RSA/ECB/PKCS1Padding")');
    await tabs.first().focus();
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
    assert.equal(await page.locator('.row', { hasText: 'by-keyboard' }).count(), 2);
  });

  it('asks for the callback URL that the service was started without', async () => {
    const lone = await emulate('service');
    const { page } = await open(lone.page);
    await page.keyboard.press('s');
    assert.equal(await page.evaluate('document.activeElement.name'), 'callback_url');
    await page.keyboard.type(`${application.url}/callback`);
    await page.locator('#signup [name=ptn_cd]').fill('by-address');
    await page.keyboard.press('Enter');
    await page.locator('#detail h2', { hasText: 'by-address' }).waitFor();
    await lone.stop();
  });

  it('copies a request as curl, which the shell sends again', async () => {
    const { page } = await open(application.page, {
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await post(`${application.url}/callback`, registration("it's-copied"));
    await page.locator('.row', { hasText: "it's-copied" }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(command, /^curl --request POST /);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    assert.equal(JSON.parse(stdout).code, 'A107');
    await page.getByRole('button', { name: 'Copy body' }).first().click();
    // A button says "Copied" for a moment only, which a busy machine may miss.
    await page.waitForFunction("navigator.clipboard.readText().then((text) => text[0] === '{')");
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /"used_type":"2"/);
    await page.close();
  });

  it('says one cause once', async () => {
    const { page } = await open(application.page);
    await signUp(service, { ptn_cd: 'one-cause' });
    const payload = Buffer.alloc(32, 7).toString('base64');
    await post(`${application.url}/callback`, {
      ...registration('one-cause'),
      partner_sp: payload,
    });
    await page.locator('.row.is-bad', { hasText: 'one-cause' }).click();
    await page.locator('#detail h2', { hasText: 'one-cause' }).waitFor();
    await page.locator('.finding').first().waitFor();
    assert.equal(await page.locator('.finding').count(), 1);
  });

  for (const width of [1280, 1400]) {
    it(`cuts neither operation nor diagnosis in the list: ${width}`, async () => {
      const { page } = await open(service.page, { viewport: { width, height: 800 } });
      await rows(page).first().waitFor();
      for (const column of ['what', 'why', 'code']) {
        const cut = await page.evaluate(
          `[...document.querySelectorAll('#list .row .${column}')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`,
        );
        assert.deepEqual(cut, [], column);
      }
      await page.close();
    });
  }

  it('has nothing secret in it before a click', async () => {
    await signUp(service, { ptn_cd: 'masked', email: 'very-secret@example.com' });
    const { page, requests } = await open(service.page);
    await page.locator('.row', { hasText: 'masked' }).filter({ hasText: 'registration' }).click();
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
    const evil = `<img src=x onerror=alert(1)>\u202egnp.exe\u001b[2J`;
    await post(`${application.url}/callback`, registration(evil));
    await page.locator('.row', { hasText: 'onerror' }).click();
    await page
      .locator('#detail h2', { hasText: '<img src=x onerror=alert(1)>\\u202egnp.exe\\u001b[2J' })
      .waitFor();
    await page.locator('.messages pre').first().waitFor();
    assert.equal(await page.locator('img').count(), 0);
    for (const control of ['\u202e', '\u001b'])
      assert.ok(!(await page.locator('body').textContent())?.includes(control));
    assert.deepEqual(troubles, []);
  });

  it('asks only its own emulator, and could not ask another', async () => {
    const { page, requests, troubles } = await open(service.page);
    await rows(page).first().click();
    await page.locator('#detail h2').waitFor();
    const { origin } = new URL(service.page);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(`${origin}/_authcli/ui/`) && url !== 'data:,'),
      [],
    );
    assert.deepEqual(troubles, []);
    const outcome = await page.evaluate(
      `fetch('${application.url}/callback').then(() => 'asked', () => 'refused')`,
    );
    assert.equal(outcome, 'refused');
    assert.match(troubles.join(), /Content Security Policy/);
  });

  it('is closed to the page of another site', async () => {
    const page = await sharedPage();
    await page.goto(`${application.url}/callback`);
    const outcome = await page.evaluate(
      `fetch('${service.page}faults').then((response) => 'read ' + response.status, () => 'refused')`,
    );
    assert.equal(outcome, 'refused');
  });

  it('is led by the keyboard alone', async () => {
    const { page } = await open(service.page);
    const focused = () => page.evaluate('document.activeElement.id');
    await page.keyboard.press('/');
    assert.equal(await focused(), 'search');
    await page.keyboard.type('op:key-exchange');
    await page.keyboard.press('Enter');
    assert.equal(await focused(), 'list');
    const chosen = () => page.locator('.row[aria-selected=true]').getAttribute('id');
    const first = await chosen();
    await page.keyboard.press('j');
    const second = await chosen();
    assert.notEqual(second, first);
    assert.equal(await page.locator('#list').getAttribute('aria-activedescendant'), second);
    await page.keyboard.press('ArrowUp');
    assert.equal(await chosen(), first);
    await page.keyboard.press('Enter');
    await page.locator('#detail-title:focus').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'list');
    await page.keyboard.press('?');
    assert.equal(await page.locator('#help').isVisible(), true);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#help').isVisible(), false);
    await page.keyboard.press('f');
    assert.equal(await page.locator('#failures').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
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
    const { page } = await open(busy.page);
    for (let start = 0; start < 1000; start += 50) {
      const users = Array.from({ length: 50 }, (_, index) => `user-${start + index}`);
      await Promise.all(users.map((user) => post(`${busy.url}/callback`, registration(user))));
    }
    await page.locator('#count', { hasText: /^1000 exchanges/ }).waitFor({ timeout: 60_000 });
    assert.ok((await rows(page).count()) < 80);
    // Only what is on the screen is ever in the page.
    for (const text of ['u', 'us', 'use', 'user', 'user-', 'user-7', 'user-77', 'user-777']) {
      await page.locator('#search').fill(text);
      assert.ok((await rows(page).count()) < 80, text);
    }
    assert.equal(await rows(page).count(), 1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    const last = await page.locator('.row[aria-selected=true] .user').textContent();
    assert.match(last ?? '', /^user-\d\d?$/);
    await screenshot(page, 'thousand');
    await busy.stop();
  });

  it('goes on when the emulator was stopped and started again', async () => {
    const first = await emulate('app');
    const { port } = new URL(first.url);
    const { page, requests } = await open(first.page);
    await post(`${first.url}/callback`, registration('before'));
    await page.locator('.row', { hasText: 'before' }).waitFor();
    await first.stop();
    await page.locator('body[data-state="waiting"]').waitFor();
    const second = await emulate('app', '--port', port);
    await page.locator('body[data-state="live"]').waitFor();
    await page.locator('.row', { hasText: 'before' }).waitFor({ state: 'detached' });
    const asked = requests.length;
    await post(`${second.url}/callback`, registration('after'));
    await page.locator('.row', { hasText: 'after' }).waitFor();
    assert.deepEqual(requests.slice(asked), [], 'it is told, and asks for nothing');
    await second.stop();
    await page.locator('body[data-state="waiting"]').waitFor();
    const third = await emulate('app', '--port', port, '--ui-token', 'another-token-0123456789');
    await page.locator('body[data-state="other-run"]').waitFor();
    assert.match((await page.locator('#connection').textContent()) ?? '', /open the address/);
    await third.stop();
  });
});

describe('the page of an emulator, looked at', () => {
  let nobody: Emulator;
  before(async () => {
    nobody = await emulate('service');
    for (const body of ['nonsense', { client_id: 'x' }])
      await post(`${service.url}/process/token`, body);
    await signUp(service, { ptn_cd: '김철수', name: '김철수' });
  });

  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    list: async () => undefined,
    failure: async (page) => {
      await page.locator('.row.is-bad', { hasText: 'spoilt' }).click();
      await page.locator('.sequence svg').waitFor();
    },
    registration: async (page) => {
      await page.locator('.row.is-good', { hasText: 'registration' }).first().click();
      await page.locator('.sequence svg').waitFor();
    },
    faults: async (page) => {
      await page.keyboard.press('x');
      await page.locator('.choice').first().waitFor();
    },
    signup: (page) => page.keyboard.press('s'),
    help: (page) => page.keyboard.press('?'),
  };

  const few = ['list', 'failure'];
  const every = Object.keys(states);
  const views = [
    { colorScheme: 'light', width: 1600, looks: every },
    { colorScheme: 'dark', width: 360, looks: every },
    { colorScheme: 'dark', width: 1600, looks: few },
    { colorScheme: 'light', width: 360, looks: few },
    { colorScheme: 'light', width: 1280, looks: every },
    { colorScheme: 'dark', width: 1400, looks: few },
  ] as const;
  for (const { colorScheme, width, looks } of views) {
    const view = `${colorScheme}-${width}`;
    it(`is whole and for everyone: ${view}`, async () => {
      const viewport = { width, height: 800 };
      const { page, troubles } = await open(nobody.page, { colorScheme, viewport });
      const look = async (name: string): Promise<void> => {
        await screenshot(page, `${name}-${view}`);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
        assert.deepEqual(await accessibilityFaults(page), [], name);
      };
      await look('empty');
      await page.goto(service.page);
      await rows(page).first().waitFor();
      for (const name of looks) {
        await states[name]?.(page);
        await look(name);
        await page.keyboard.press('Escape');
      }
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
});
