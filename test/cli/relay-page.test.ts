import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Detail, Row, Update } from '../../src/watch/view/wire.ts';
import type { TestServer } from '../support/fault-server.ts';
import { freePort } from '../support/free-port.ts';
import { type ApplicationVariant, startApplication } from '../support/peer-application.ts';
import { startRelayCommand } from '../support/relay-command.ts';
import { run } from '../support/run.ts';
import { readUntil } from './emulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-page-'));
const running: Pick<TestServer, 'close'>[] = [];
after(() => Promise.all(running.map((server) => server.close())));

const passcode = 'S3cret-Pass-42!';
let count = 0;

/** A relay with its page, in front of an application, after one sign-up. */
async function watched(
  argv: readonly string[] = [],
  { variant = {}, exchanges = 2 }: { variant?: ApplicationVariant; exchanges?: number } = {},
) {
  const app = await startApplication(variant);
  running.push(app);
  count += 1;
  const configFile = join(folder, `config-${count}.json`);
  const relay = await startRelayCommand(['--to', app.url.href, '--ui', ...argv], { configFile });
  const page = String(relay.events()[0]?.ui_url);
  const words = ['simulate-signup', '--url', relay.callbackUrl, '--ptn-cd', 'alice'];
  await run([...words, '--super-passcode', passcode, '--json'], {
    configFile: join(folder, `caller-${count}.json`),
  });
  await relay.exchanges(exchanges);
  return { app, relay, page };
}

const headersOf = (page: string) => ({ origin: new URL(page).origin });

function post(page: string, path: string, fields: unknown): Promise<Response> {
  const body = JSON.stringify(fields);
  return fetch(`${page}${path}`, { method: 'POST', headers: headersOf(page), body });
}

/** The first update of a page that is opened now. */
async function updateOf(page: string): Promise<{ readonly update: Update; readonly text: string }> {
  const text = await readUntil(await fetch(`${page}events`), '"learned":');
  const [, json = '{}'] = /event: update\ndata: (\{.*\})/.exec(text) ?? [];
  return { update: JSON.parse(json) as Update, text };
}

async function detailOf(page: string, id: number): Promise<Detail> {
  return (await (await fetch(`${page}exchange?id=${id}`)).json()) as Detail;
}

const summaryOf = ({ what, way, ptnCd, status, outcome }: Row) => [
  ...[what, way, ptnCd, status, outcome],
];

describe('relay --ui', () => {
  it('lists what passed and what was learned, on a port of its own', async () => {
    const { relay, page } = await watched(['--decrypt']);
    assert.match(page, /^http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\/$/);
    assert.notEqual(new URL(page).port, new URL(relay.callbackUrl).port);
    const { update, text } = await updateOf(page);
    assert.match(text, /event: hello\ndata: \{"run":"[\w-]+","side":"relay"/);
    assert.deepEqual(update.rows.map(summaryOf), [
      ['key-exchange', 'in', 'alice', 200, 'good'],
      ['registration', 'in', 'alice', 200, 'good'],
    ]);
    const cipher = update.learned.find(({ setting }) => setting === 'cipher');
    assert.deepEqual(
      [cipher?.value, cipher?.confidence],
      ['aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64', 'certain'],
    );
    await relay.stop();
  });

  it('keeps its address with --ui-port and --ui-token, and refuses a port that is taken', async () => {
    const [port, token] = [`${await freePort()}`, 'a-token-of-the-page-0123'];
    const fixed = ['--ui-port', port, '--ui-token', token];
    for (const time of ['the first time', 'again']) {
      const { relay, page } = await watched(fixed);
      assert.equal(page, `http://127.0.0.1:${port}/_authcli/ui/${token}/`, time);
      assert.equal((await fetch(page)).status, 200);
      if (time === 'again') {
        const argv = ['relay', '--to', 'http://127.0.0.1:9/callback', '--ui', ...fixed, '--json'];
        const { status, stdout } = await run(argv, { configFile: join(folder, 'other.json') });
        assert.equal(status, 2);
        assert.match(stdout, /The page can't listen on 127\.0\.0\.1, port \d+: .* in use/);
      }
      await relay.stop();
    }
  });

  it('shows no secret without --show-secrets, also when asked for one', async () => {
    const { relay, page } = await watched(['--decrypt']);
    const { text } = await updateOf(page);
    const detail = await detailOf(page, 2);
    const field = detail.fields.find((each) => each.field === 'partner_sp');
    assert.deepEqual(
      [field?.value, field?.item, field?.note],
      [null, null, `${passcode.length} characters`],
    );
    assert.ok(!(text + JSON.stringify(detail)).includes(passcode));
    for (const item of ['request.partner_sp', 'request-body', 'request-curl', 'response-body'])
      assert.equal((await post(page, 'reveal', { id: 2, item })).status, 404, item);
    await relay.stop();
  });

  it('gives secrets that are asked for under --show-secrets', async () => {
    const { relay, page } = await watched(['--decrypt', '--show-secrets']);
    const response = await post(page, 'reveal', { id: 2, item: 'request.partner_sp' });
    assert.deepEqual(await response.json(), { value: passcode });
    await relay.stop();
  });

  it('explains a wrong response', async () => {
    const { relay, page } = await watched(['--decrypt'], {
      variant: { padding: 4 },
      exchanges: 1,
    });
    const { update } = await updateOf(page);
    assert.deepEqual(summaryOf(update.rows[0] as Row).at(-1), 'bad');
    const { findings } = await detailOf(page, 1);
    assert.deepEqual([findings[0]?.kind, findings[0]?.code], ['failure', 'oaep-sha1']);
    assert.equal((await relay.stop()).status, 1);
  });

  it('refuses other pages, other names and other runs, and has nothing to steer', async () => {
    const { app, relay, page } = await watched();
    const foreign = {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
      body: '{"id":1}',
    };
    assert.equal((await fetch(`${page}reveal`, foreign)).status, 403);
    assert.equal((await fetch(`${page}reveal`, { method: 'POST', body: '{"id":1}' })).status, 403);
    const wrong = page.replace(/[\w-]{32}/, 'x'.repeat(32));
    assert.equal((await fetch(wrong)).status, 403);
    assert.equal(await statusUnder(page, 'evil.example'), 403);
    assert.equal((await fetch(new URL('/', page))).status, 404);
    assert.equal((await fetch(`${page}faults`)).status, 404);
    assert.equal((await post(page, 'signup', {})).status, 404);
    assert.equal((await post(page, 'reveal', { id: 99 })).status, 404);
    assert.equal(app.calls.length, 2);
    await relay.stop();
  });
});

/** Under another name for the same address, as DNS rebinding would have it. */
function statusUnder(page: string, name: string): Promise<number | undefined> {
  const { port, pathname } = new URL(page);
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path: pathname, headers: { host: `${name}:${port}` } })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}
