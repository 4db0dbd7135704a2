import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Secret } from '../../src/crypto/secret.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { RecordingWriter } from '../../src/traffic/recording.ts';
import { violations } from '../support/json-schema.ts';
import { exchange } from '../traffic/traffic.ts';
import { schemaOf, workspace } from './workspace.ts';

const { save, read, cli, cliJson, verifyApplication } = workspace();
const analyze = (...argv: readonly string[]) => cli(['analyze', ...argv]);

const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
const passcode = 'AAAAAAAAAAAAAAAAAAAAAA==';
const request = { client_id: 'c', used_type: '2', ptn_cd: 'ada', partner_sp: passcode };
const refused = { code: 'E9', message: `no ${key}` };
const log = `2026-11-23 03:04:05 in ${JSON.stringify(request)}\n2026-11-23 03:04:06 out ${JSON.stringify(refused)}\n`;

describe('analyze', () => {
  for (const fault of ['', 'message-missing', 'text-content-type']) {
    it(`finds in the archive of verify what verify found: ${fault || 'nothing'}`, async () => {
      const argv = ['--har', 'v.har', '--json', '--show-secrets'];
      const { stdout } = await verifyApplication(fault === '' ? [] : [fault], argv);
      const { json } = await cliJson(['analyze', 'v.har', '--report', 'json=a.json']);
      const report = JSON.parse(read('a.json'));
      assert.deepEqual(violations(report, schemaOf('verify')), []);
      const passive = new Set(report.checks.map(({ id }: { id: string }) => id));
      const failing = (all: readonly { id: string; status: string }[]) =>
        all
          .filter(({ id, status }) => passive.has(id) && ['failed', 'warned'].includes(status))
          .map(({ id, status }) => `${id} ${status}`)
          .sort();
      assert.deepEqual(failing(report.checks), failing(JSON.parse(stdout).checks));
      assert.equal(json.findings.length > 0, fault !== '');
    });
  }

  it('hides credentials of headers and secrets of bodies in what it prints and reports', async () => {
    const headers = [
      { name: 'Authorization', value: 'Bearer of-a-bearer' },
      { name: 'Set-Cookie', value: 'sid=of-a-session; Path=/' },
    ];
    const [secret, token] = ['the-secret-of-the-shop', 'pT-9f2c1b77e0'];
    const sent = { method: 'POST', url: 'https://app.example/callback', headers };
    const entry = (body: object, message: string) => ({
      request: { ...sent, postData: { text: JSON.stringify(body) } },
      response: { status: 500, headers, content: { text: JSON.stringify({ code: 'E', message }) } },
    });
    const entries = [
      entry(request, `of-a-bearer, of-a-session, ${key}`),
      entry({ client_id: 'c', secret_key: secret, ptn_token: token }, `bad ${secret} ${token}`),
    ];
    save('secrets.har', JSON.stringify({ log: { version: '1.2', entries } }));
    const reports = ['--key', key, '--report', 'json=c.json', '--report', 'html=c.html'];
    for (const flag of ['--quiet', '--json', '--verbose']) {
      const { stdout, stderr } = await analyze('secrets.har', flag, ...reports);
      const shown = stdout + stderr + read('c.json') + read('c.html');
      for (const hidden of ['of-a-bearer', 'of-a-session', secret, token, key])
        assert.ok(!shown.includes(hidden), hidden);
    }
    assert.match(read('c.json'), /\[redacted\]/);
    assert.ok((await analyze('secrets.har', '--show-secrets')).stdout.includes(secret));
  });

  it('sums up, then shows each finding with its first exchange and the fix', async () => {
    save('app.log', log + log.replaceAll('ada', 'grace'));
    const { status, stdout, stderr } = await analyze('app.log');
    assert.equal(status, 1);
    const summary = '2 exchanges of 2 users: 2 registrations\n2 of them break 1 requirement.\n\n';
    assert.ok(stdout.startsWith(summary), stdout);
    assert.match(
      stdout,
      /✗ registration\/answers-success {2}the application must accept .*\n {2}2 times, first in line 1, ptn_cd ada\n {2}cause: /,
    );
    assert.match(
      stderr,
      /^error: 1 requirement broken: registration\/answers-success\.\nnext: {2}authcli explain code-not-success\n$/,
    );
  });

  it('reads a recording without values, and says what that leaves open', async () => {
    const writer = new RecordingWriter({ version: '1', startedAt: 0, redactor: new Redactor() });
    const captured = exchange({ request, response: { code: '0000', message: '' } });
    save('r.jsonl', writer.header + writer.line({ ...captured, key: Secret.key(key) }));
    const { status, stdout, stderr } = await analyze('r.jsonl');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^1 exchange of 1 user: 1 registration\nNo requirement is broken\.\n$/);
    assert.match(stderr, /secrets are hidden in the recording/);
  });

  it('writes reports, and in that of JSON how to repeat the run and the error of --json', async () => {
    save("the shop's log.txt", log);
    const kinds = ['json', 'junit', 'html', 'markdown'];
    const reports = kinds.flatMap((kind) => ['--report', `${kind}=out.${kind}`]);
    const { json } = await cliJson(['analyze', "the shop's log.txt", ...reports]);
    for (const kind of kinds) assert.match(read(`out.${kind}`), /registration\/answers-success/);
    const { repeat, error } = JSON.parse(read('out.json'));
    assert.equal(repeat, `authcli analyze 'the shop'\\''s log.txt'`);
    assert.equal(error.next, 'authcli explain code-not-success');
    assert.deepEqual(error, json.error);
    assert.equal((await analyze("the shop's log.txt", '--report', 'har=x.har')).status, 2);
  });

  const packed = gzipSync(log);
  const utf16 = Buffer.from(`\ufeff${log}`, 'utf16le');
  const cutOff = gzipSync('2026-11-23 03:04:07 the next line\n'.repeat(1000)).subarray(0, -12);
  for (const [how, bytes] of [
    ['packed with gzip in two members, the second one cut off', Buffer.concat([packed, cutOff])],
    ['in UTF-16LE, as Windows PowerShell writes it', utf16],
    ['in UTF-16BE, packed with gzip', gzipSync(Buffer.from(utf16).swap16())],
  ] as const) {
    it(`reads a log ${how}, and names the file where there are several`, async () => {
      save('written.log', bytes);
      for (const [names, source] of [
        [['-'], 'line 1'],
        [['written.log', '-'], 'written.log line 1'],
      ] as const) {
        const { json } = await cliJson(['analyze', ...names], { stdin: bytes });
        const [{ id, count, first }] = json.findings;
        const found = [id, count, first.source];
        assert.deepEqual(found, ['registration/answers-success', names.length, source]);
      }
    });
  }

  const damaged = Buffer.from(packed).fill(0xff, 20, 21);
  const page = { request: { method: 'GET', url: 'https://a.example/', headers: [] } };
  const nothing = /^error: No traffic of this interface was found in /;
  for (const [name, content, message] of [
    ['none.har', undefined, /^error: The file "none\.har" doesn't exist\./],
    ['other.har', JSON.stringify({ log: { version: '1.2', entries: [page] } }), nothing],
    ['other.log', 'GET / 200\n{"id":1}\n', nothing],
    ['bytes.log', Buffer.from([0, 0xff, 0xfe, 0x7b, 0x0a, 0]), nothing],
    ['new.jsonl', '{"schema":"authcli/recording/9"}\n', /new\.jsonl: .*authcli\/recording\/9/],
    ['damaged.gz', damaged, /The gzip data is damaged: .*\nfix: {3}Copy the file/],
    ['app.xz', Buffer.from('fd377a585a000004', 'hex'), /with xz, .*\nfix: {3}Unpack it: `xz -d F/],
    ['app.zst', Buffer.from('28b52ffd2411', 'hex'), /compressed with zstd/],
    ['app.bz2', 'BZh91AY&SY', /compressed with bzip2/],
    ['app.zip', 'PK\x03\x04\x14\x00', /compressed with zip.*\n.*unzip FILE/],
  ] as const) {
    it(`exits 2 for ${name}`, async () => {
      if (content !== undefined) save(name, content);
      const { status, stderr } = await analyze(name);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }

  const wrapped = Buffer.alloc(256, 7).toString('base64');
  for (const [kind, expected, shown, ...argv] of [
    ['expire_dt', 0, /12:00:00\+09:00/, '20260701120000', '--expire-time-zone', 'Asia/Seoul'],
    ['error-text', 0, /no valid padding/, 'javax.crypto.BadPaddingException: x'],
    ['enc_partner_key', 0, /256 bytes, as under RSA 2048/, wrapped],
    ['enc_partner_key', 1, /base64url/, wrapped.replaceAll('H', '-')],
    ['payload', 1, /partner_sp, ptn_sp or ubifill/, passcode, '--key', key],
    ['payload', 0, /Give --key/, passcode],
  ] as const) {
    it(`explains a text given instead of a file: ${kind}, exit status ${expected}`, async () => {
      const { status, stdout } = await analyze(...argv);
      const { json } = await cliJson(['analyze', ...argv]);
      assert.deepEqual([status, json.kind], [expected, kind]);
      assert.match(stdout + JSON.stringify(json), shown);
    });
  }
});
