import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, describe, it } from 'node:test';
import { startApplication } from '../../src/index.ts';
import type { Detail, Row, Update } from '../../src/page/wire.ts';
import type { TestServer } from '../support/fault-server.ts';
import { freePort } from '../support/free-port.ts';
import { startRelayCommand } from '../support/side.ts';
import { readUntil } from './emulate.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cli } = workspace();
const running: Pick<TestServer, 'close'>[] = [];
after(() => Promise.all(running.map((server) => server.close())));

const passcode = 'S3cret-Pass-42!';

/** A relay with its page, in front of an application, after one sign-up. */
async function watched(argv: readonly string[] = [], faults: readonly string[] = []) {
  const app = await startApplication({ faults });
  running.push(app);
  const relay = await startRelayCommand(['--to', app.url, '--ui', ...argv], {
    configFile: freshConfig(),
  });
  const words = ['simulate-signup', '--url', relay.callbackUrl, '--ptn-cd', 'alice'];
  await cli([...words, '--super-passcode', passcode, '--json'], { configFile: freshConfig() });
  await relay.exchanges(faults.length === 0 ? 2 : 1);
  return { app, relay, page: String(relay.events()[0]?.ui_url) };
}

function post(page: string, path: string, fields: unknown): Promise<Response> {
  const headers = { origin: new URL(page).origin };
  return fetch(`${page}${path}`, { method: 'POST', headers, body: JSON.stringify(fields) });
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

const summaryOf = ({ what, way, ptnCd, status, outcome }: Row) =>
  [what, way, ptnCd, status, outcome].join(' ');

describe('relay --ui', () => {
  it('lists what passed and what was learned, on a port of its own', async () => {
    const { relay, page } = await watched(['--decrypt']);
    assert.match(page, /^http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\/$/);
    assert.notEqual(new URL(page).port, new URL(relay.callbackUrl).port);
    const { update, text } = await updateOf(page);
    assert.match(text, /event: hello\ndata: \{"run":"[\w-]+","side":"relay"/);
    assert.deepEqual(update.rows.map(summaryOf), [
      'key-exchange in alice 200 good',
      'registration in alice 200 good',
    ]);
    const cipher = update.learned.find(({ setting }) => setting === 'cipher');
    const found = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
    assert.deepEqual([cipher?.value, cipher?.confidence], [found, 'certain']);
    await relay.stop();
  });

  it('keeps its address with --ui-port and --ui-token, and refuses a port that is taken', async () => {
    const [port, token] = [`${await freePort()}`, 'a-token-of-the-page-0123'];
    const fixed = ['--ui-port', port, '--ui-token', token];
    const { relay, page } = await watched(fixed);
    assert.equal(page, `http://127.0.0.1:${port}/_authcli/ui/${token}/`);
    assert.equal((await fetch(page)).status, 200);
    const argv = ['relay', '--to', 'http://127.0.0.1:9/callback', '--ui', ...fixed];
    const { status, stderr } = await cli(argv, { configFile: freshConfig() });
    assert.equal(status, 2);
    assert.match(stderr, /The page can't listen on 127\.0\.0\.1, port \d+: .* in use/);
    await relay.stop();
  });

  it('shows no secret without --show-secrets, also when asked for one', async () => {
    const { relay, page } = await watched(['--decrypt']);
    const { text } = await updateOf(page);
    const detail = await detailOf(page, 2);
    const { value, item, note } = detail.fields.find((each) => each.field === 'partner_sp') ?? {};
    assert.deepEqual([value, item, note], [null, null, `${passcode.length} characters`]);
    assert.ok(!(text + JSON.stringify(detail)).includes(passcode));
    for (const asked of ['request.partner_sp', 'request-body', 'request-curl', 'response-body'])
      assert.equal((await post(page, 'reveal', { id: 2, item: asked })).status, 404, asked);
    await relay.stop();
  });

  it('gives secrets that are asked for under --show-secrets', async () => {
    const { relay, page } = await watched(['--decrypt', '--show-secrets']);
    const response = await post(page, 'reveal', { id: 2, item: 'request.partner_sp' });
    assert.deepEqual(await response.json(), { value: passcode });
    await relay.stop();
  });

  it('explains a wrong response', async () => {
    const { relay, page } = await watched(['--decrypt'], ['oaep-sha1']);
    const { update } = await updateOf(page);
    assert.match(update.rows.map(summaryOf).join(), / bad$/);
    const [finding] = (await detailOf(page, 1)).findings;
    assert.deepEqual([finding?.kind, finding?.code], ['failure', 'oaep-sha1']);
    assert.equal((await relay.stop()).status, 1);
  });

  it('refuses other pages, other names and other runs, and has nothing to steer', async () => {
    const { app, relay, page } = await watched();
    const statusOf = async (url: string | URL, init?: RequestInit) =>
      (await fetch(url, init)).status;
    const method = 'POST';
    const foreign = { method, headers: { origin: 'http://evil.example' }, body: '{"id":1}' };
    assert.equal(await statusOf(`${page}reveal`, foreign), 403);
    assert.equal(await statusOf(`${page}reveal`, { method, body: '{"id":1}' }), 403);
    assert.equal(await statusOf(page.replace(/[\w-]{32}/, 'x'.repeat(32))), 403);
    assert.equal(await statusUnder(page, 'evil.example'), 403);
    assert.equal(await statusOf(new URL('/', page)), 404);
    assert.equal(await statusOf(`${page}faults`), 404);
    assert.equal((await post(page, 'signup', {})).status, 404);
    assert.equal(app.journal().length, 2);
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
