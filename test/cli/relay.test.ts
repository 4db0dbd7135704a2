import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { startApplication, startService } from '../../src/index.ts';
import type { Detail, Row, Update } from '../../src/page/wire.ts';
import { listen, type TestServer } from '../support/fault-server.ts';
import { startHandWritten } from '../support/hand-written-application.ts';
import { type RelayCommand, startRelayCommand } from '../support/side.ts';
import { readUntil } from './emulate.ts';
import { workspace } from './workspace.ts';

const { path, freshConfig, read, cli, cliJson } = workspace();
const passcode = 'S3cret-Pass-42!';
const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
const nothing = ['--to', 'http://127.0.0.1:9/'];
const running: Pick<TestServer, 'close'>[] = [];
after(() => Promise.all(running.map((server) => server.close())));

async function application(...faults: readonly string[]) {
  const started = await startApplication({ faults });
  running.push(started);
  return started;
}

const relayOf = (argv: readonly string[], configFile = freshConfig()) =>
  startRelayCommand(argv, { configFile });

function signUp({ callbackUrl }: RelayCommand, ptnCd: string, argv: readonly string[] = []) {
  const words = ['simulate-signup', '--url', callbackUrl, '--ptn-cd', ptnCd, ...argv];
  return cliJson([...words, '--super-passcode', passcode], { configFile: freshConfig() });
}

const post = (url: string, body: object, headers = {}) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

const detailOf = async (page: string, id: number) =>
  JSON.parse(await (await fetch(`${page}exchange?id=${id}`)).text()) as Detail;

const codesOf = ({ diagnoses }: Readonly<Record<string, unknown>>) =>
  (diagnoses as { code: string }[]).map(({ code }) => code);

describe('relay', () => {
  it('warns where other machines can reach it, and nowhere else', async () => {
    for (const [host, warning] of [
      ['0.0.0.0', /^warning: the relay listens on 0\.0\.0\.0, where other machines can reach it$/m],
      ['127.0.0.1', /^$/],
      ['0:0:0:0:0:0:0:1', /^$/],
    ] as const) {
      const relay = await relayOf([...nothing, '--host', host]);
      assert.match((await relay.stop()).stderr, warning, host);
    }
  });

  it('hides credentials of headers in its archive, its recording and what it prints', async () => {
    const app = await application();
    const files = ['--har', path('c.har'), '--record', path('c.jsonl')];
    const relay = await relayOf(['--to', app.url, ...files, '--trace']);
    const headers = { authorization: 'Bearer of-a-bearer', cookie: 'sid=of-a-session' };
    await post(relay.callbackUrl, { ptn_cd: 'u', used_type: 'of-a-bearer' }, headers);
    await relay.exchanges(1);
    const { stdout, stderr } = await relay.stop();
    assert.match(stderr, /^authorization: \[redacted\]$/m);
    for (const shown of [stdout, stderr, read('c.har'), read('c.jsonl')])
      assert.doesNotMatch(shown, /of-a-bearer|of-a-session/);
  });

  it('judges a right sign-up as right, and ends with 0 when it is stopped', async () => {
    const app = await application();
    const relay = await relayOf(['--to', app.url]);
    assert.equal(new URL(relay.callbackUrl).pathname, new URL(app.url).pathname);
    assert.equal((await signUp(relay, 'alice')).status, 0);
    const rows = (await relay.exchanges(2)).map((each) =>
      [each.operation, each.ptn_cd, each.http_status, each.code, ...codesOf(each)].join(' '),
    );
    assert.deepEqual(rows, ['key-exchange alice 200 0000', 'registration alice 200 0000']);
    const { status, summary } = await relay.stop();
    const { event, exchanges, failed } = summary;
    assert.deepEqual([status, event, exchanges, failed], [0, 'summary', 2, 0]);
  });

  it('records no user information that the application repeats', async () => {
    const repeated = '"stored Anna Muster, anna@example.com"';
    const respond = (usedType: unknown, right: string) =>
      usedType === '1' ? right : right.replace('""', repeated);
    const app = await startHandWritten({ respond });
    running.push(app);
    const record = ['--decrypt', '--record', path('repeated.jsonl')];
    const relay = await relayOf(['--to', app.url.href, ...record]);
    await signUp(relay, 'anna', ['--email', 'anna@example.com', '--name', 'Anna Muster']);
    await relay.exchanges(2);
    await relay.stop();
    assert.match(read('repeated.jsonl'), /stored \[redacted\], \[redacted\]/);
    assert.doesNotMatch(read('repeated.jsonl'), /Muster|anna@/);
  });

  it('reads the key, the passcode and the user information with --decrypt, and stores the user', async () => {
    const app = await application();
    const configFile = freshConfig();
    const flags = ['--decrypt', '--record', path('session.jsonl'), '--save-settings'];
    const relay = await relayOf(['--to', app.url, ...flags], configFile);
    const { json } = await signUp(relay, 'bob', ['--show-secrets']);
    assert.equal(app.user('bob')?.superPasscode, passcode);
    await relay.exchanges(2);
    const { status, stdout, stderr, summary } = await relay.stop();
    assert.equal(status, 0, stdout);
    assert.match(stderr, /--decrypt reads the keys, passcodes and user information of every user/);
    const recording = read('session.jsonl');
    const shown = stdout + stderr + recording;
    for (const secret of [passcode, json.key]) assert.ok(!shown.includes(secret));
    assert.equal(statSync(path('session.jsonl')).mode & 0o777, 0o600);
    assert.equal(recording.trim().split('\n').length, 3);
    const stored = (await cliJson(['users', 'show', 'bob', '--show-secrets'], { configFile })).json;
    const { key, super_passcode: storedPasscode, state } = stored;
    assert.deepEqual([key, storedPasscode, state], [json.key, passcode, 'registered']);
    assert.equal((summary.learned as Record<string, string>).cipher, cipher);
    const set = await cliJson(['config', 'get', 'cipher'], { configFile });
    assert.equal(set.json.value, cipher);
  });

  it('reads only the users of --only', async () => {
    const app = await application();
    const configFile = freshConfig();
    const flags = ['--decrypt', '--only', 'test-*'];
    const relay = await relayOf(['--to', app.url, ...flags], configFile);
    await signUp(relay, 'test-1');
    await signUp(relay, 'carol');
    await relay.exchanges(4);
    assert.equal((await relay.stop()).status, 0);
    const { users } = (await cliJson(['users', 'list'], { configFile })).json;
    const codes = users.map(({ ptn_cd: ptnCd }: { ptn_cd: string }) => ptnCd);
    assert.deepEqual(codes, ['test-1']);
  });

  it('names what is wrong with a response, and ends with 1', async () => {
    const app = await application('oaep-sha1');
    const relay = await relayOf(['--to', app.url, '--decrypt', '--ui']);
    assert.equal((await signUp(relay, 'dave')).json.error.code, 'oaep-sha1');
    const [exchange = {}] = await relay.exchanges(1);
    assert.deepEqual(codesOf(exchange), ['oaep-sha1']);
    const [finding] = (await detailOf(String(relay.events()[0]?.ui_url), 1)).findings;
    assert.deepEqual([finding?.kind, finding?.code], ['failure', 'oaep-sha1']);
    const { status, summary } = await relay.stop();
    assert.deepEqual([status, summary.exchanges, summary.failed], [1, 1, 1]);
  });

  it('reports what the service sends against the interface, and forwards it as it is', async () => {
    const calls: unknown[] = [];
    const server = createServer(async (request, response) => {
      calls.push(JSON.parse(await text(request)));
      response.end('{"code":"9","message":"no"}');
    });
    const app = await listen(server, 'http');
    running.push(app);
    const relay = await relayOf(['--to', app.url.href]);
    const publicKey = createPublicKey(readFileSync('fixtures/keys/pool/2048-01.pem'));
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const bodies = [
      { client_id: 'c', used_type: '2', ptn_cd: 'erin' },
      { client_id: 'c', used_type: 2, ptn_cd: 'erin', partner_sp: 'x' },
      { client_id: 'c', used_type: '1', ptn_cd: 'erin', public_key: pem },
    ];
    for (const body of bodies) await post(relay.callbackUrl, body);
    const exchanges = await relay.exchanges(3);
    assert.deepEqual(calls, bodies);
    const codes = exchanges.map((exchange) => codesOf(exchange)[0]);
    assert.deepEqual(codes, ['field-missing', 'field-type', 'field-malformed']);
    assert.equal((await relay.stop()).status, 1);
  });

  it('forwards sign-ins, and compares the passcode with that of the profile', async () => {
    const user = { ptnCd: 'user-1', key: 'k'.repeat(32), superPasscode: 'Super-Passcode-0042' };
    const account = { clientId: 'client', secretKey: 'the-secret-key' };
    const service = await startService({ ...account, users: [user], showSecrets: true });
    running.push(service);
    const app = await application();
    const configFile = freshConfig();
    const known = { ptn_cd: 'user-1', key: user.key, super_passcode: user.superPasscode };
    await cli(['users', 'import', '-'], { configFile, stdin: JSON.stringify(known) });
    const argv = ['--to', app.url, '--auth-url', `${service.url}/`, '--decrypt'];
    const relay = await relayOf(argv, configFile);
    const token = service.issuePtnToken('user-1');
    const words = ['signin', '--ptn-token', token, '--auth-url', relay.authUrl];
    const as = ['--client-id', account.clientId, '--secret-key', account.secretKey];
    const signin = await cliJson([...words, ...as], { configFile });
    assert.equal(signin.json.passcode, 'match', signin.stdout);
    const paths = service.journal().map(({ request }) => request.path);
    assert.deepEqual(paths, ['/process/token', '/process/authenticate']);
    const exchanges = await relay.exchanges(2);
    const rows = exchanges.map((each) => [each.operation, each.ptn_cd, ...codesOf(each)].join(' '));
    assert.deepEqual(rows, ['token user-1', 'authenticate user-1']);
    const { status, stdout } = await relay.stop();
    assert.equal(status, 0);
    const [, acsToken = ''] =
      /acs_token[^\w-]+([\w-]{8,})/.exec(JSON.stringify(service.journal())) ?? [];
    assert.notEqual(acsToken, '');
    for (const secret of [account.secretKey, token, acsToken]) assert.ok(!stdout.includes(secret));
  });

  it('says that the application is unreachable, to the caller and in its events', async () => {
    const relay = await relayOf(nothing);
    const response = await post(relay.callbackUrl, {});
    assert.match(await response.text(), /nothing listens there/);
    const [exchange = {}] = await relay.exchanges(1);
    const found = [response.status, exchange.http_status, ...codesOf(exchange)];
    assert.deepEqual([...found, (await relay.stop()).status], [502, 502, 'refused', 1]);
  });

  const record = [...nothing, '--record'];
  for (const [argv, message] of [
    [[], /needs to know where to forward/],
    [[...nothing, '--only', 'a'], /--only has no effect/],
    [[...nothing, '--decrypt', '--host', '0.0.0.0'], /can be reached from other machines/],
    [[...record, '/dev/full'], /--record: \/dev\/full can't be written \(ENOSPC\)/],
    [[...record, path('none/x.jsonl')], /--record/],
  ] as const) {
    it(`refuses what it answers with ${message.source}`, async () => {
      const { status, stderr } = await cli(['relay', ...argv]);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
});

describe('relay --ui', () => {
  /** A relay with its page, in front of an application, after one sign-up. */
  async function watched(...argv: readonly string[]) {
    const app = await application();
    const relay = await relayOf(['--to', app.url, '--ui', ...argv]);
    await signUp(relay, 'alice');
    await relay.exchanges(2);
    const page = String(relay.events()[0]?.ui_url);
    const { origin } = new URL(page);
    return {
      app,
      relay,
      page,
      ask: (path: string, fields: object, headers: Record<string, string> = { origin }) =>
        post(`${page}${path}`, fields, headers),
    };
  }

  /** The first update of a page that is opened now. */
  async function updateOf(page: string) {
    const text = await readUntil(await fetch(`${page}events`), '"learned":');
    const [, json = '{}'] = /event: update\ndata: (\{.*\})/.exec(text) ?? [];
    return { update: JSON.parse(json) as Update, text };
  }

  const summaryOf = ({ what, way, ptnCd, status, outcome }: Row) =>
    [what, way, ptnCd, status, outcome].join(' ');

  it('lists what passed and what was learned, and shows no secret, also when asked for one', async () => {
    const { relay, page, ask } = await watched('--decrypt');
    assert.match(page, /^http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\/$/);
    assert.notEqual(new URL(page).port, new URL(relay.callbackUrl).port);
    const { update, text: sent } = await updateOf(page);
    assert.match(sent, /event: hello\ndata: \{"run":"[\w-]+","side":"relay"/);
    const rows = ['key-exchange in alice 200 good', 'registration in alice 200 good'];
    assert.deepEqual(update.rows.map(summaryOf), rows);
    const learned = update.learned.find(({ setting }) => setting === 'cipher');
    assert.deepEqual([learned?.value, learned?.confidence], [cipher, 'certain']);
    const detail = await detailOf(page, 2);
    const { value, item, note } = detail.fields.find((each) => each.field === 'partner_sp') ?? {};
    assert.deepEqual([value, item, note], [null, null, `${passcode.length} characters`]);
    assert.ok(!(sent + JSON.stringify(detail)).includes(passcode));
    for (const asked of ['request.partner_sp', 'request-body', 'request-curl', 'response-body'])
      assert.equal((await ask('reveal', { id: 2, item: asked })).status, 404, asked);
    await relay.stop();
  });

  it('gives secrets that are asked for under --show-secrets', async () => {
    const { relay, ask } = await watched('--decrypt', '--show-secrets');
    const response = await ask('reveal', { id: 2, item: 'request.partner_sp' });
    assert.deepEqual(await response.json(), { value: passcode });
    await relay.stop();
  });

  it('refuses other pages, other names and other runs, and has nothing to steer', async () => {
    const { app, relay, page, ask } = await watched();
    const statuses = [
      ask('reveal', { id: 1 }, { origin: 'http://evil.example' }),
      ask('reveal', { id: 1 }, {}),
      fetch(page.replace(/[\w-]{32}/, 'x'.repeat(32))),
      ...[fetch(new URL('/', page)), fetch(`${page}faults`), ask('signup', {})],
    ].map(async (response) => (await response).status);
    assert.deepEqual(await Promise.all(statuses), [403, 403, 403, 404, 404, 404]);
    // Under another name for the same address, as DNS rebinding would have it.
    const asked = get(page, { headers: { host: 'evil.example' } });
    const [{ statusCode }] = await once(asked, 'response');
    assert.deepEqual([statusCode, app.journal().length], [403, 2]);
    await relay.stop();
  });
});
