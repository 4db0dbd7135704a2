import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Secret } from '../../src/crypto/secret.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { recordingWriter } from '../../src/traffic/recording.ts';
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
    const time = '2026-11-23 03:04:05';
    const summary = `2 exchanges of 2 users, ${time}: 2 failed\n2 registrations\n2 of them break`;
    assert.ok(stdout.startsWith(summary), stdout);
    assert.match(
      stdout,
      /✗ registration\/answers-success {2}the application must accept .*\n {2}2 times for 2 users, .*, first in line 1, ptn_cd ada\n {2}cause: /,
    );
    assert.match(
      stderr,
      /^error: 1 requirement broken: registration\/answers-success\.\nnext: {2}authcli explain code-not-success\n$/,
    );
  });

  it('reads a recording without values, and says what that leaves open', async () => {
    const writer = recordingWriter({ version: '1', startedAt: 0, redactor: new Redactor() });
    const captured = exchange({ request, response: { code: '0000', message: '' } });
    save('r.jsonl', writer.header + writer.line({ ...captured, key: Secret.key(key) }));
    const { status, stdout, stderr } = await analyze('r.jsonl');
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^1 exchange of 1 user, .*: 0 failed\n1 registration\nNo requirement is broken\.\n$/,
    );
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

  it('draws failures over time', async () => {
    save('app.log', log + log.replaceAll('03:04', '03:09').replaceAll('ada', 'grace'));
    const { json } = await cliJson(['analyze', 'app.log', '--report', 'html=time.html']);
    const [first, ...others] = json.over_time;
    assert.deepEqual([first.seconds, first.failed, first.exchanges], [5, 1, 1]);
    assert.deepEqual([others.length, others.at(-1).failed, others[0].exchanges], [60, 1, 0]);
    assert.match(read('time.html'), /<title>2026-11-23 03:09:05: 1 of 1 failed<\/title>/);
  });

  const wraps = JSON.parse(readFileSync('fixtures/wraps/openssl.json', 'utf8'));
  const [rightKey = '', oaepKey = ''] = [0, 1].map((at) => wraps[at].encPartnerKey);
  for (const file of readdirSync('fixtures/logs').filter((name) => name.endsWith('.log'))) {
    it(`finds nothing in a right log, and the padding in a wrong one: ${file}`, async () => {
      const right = readFileSync(`fixtures/logs/${file}`, 'utf8');
      const forms = [(key: string) => key, encodeURIComponent];
      const wrong = forms.reduce((text, to) => text.replaceAll(to(rightKey), to(oaepKey)), right);
      const argv = [
        'analyze',
        'a.log',
        '--private-key',
        resolve('fixtures/keys/private.pkcs8.pem'),
      ];
      save('a.log', right);
      const clean = await cliJson(argv);
      assert.deepEqual([clean.status, clean.json.findings], [0, []]);
      save('a.log', wrong);
      const { status, json } = await cliJson(argv);
      assert.deepEqual([status, json.findings[0].diagnosis.code], [1, 'oaep-sha1']);
    });
  }

  const failures = 'fixtures/logs/failures';
  for (const [file, failed, cause, apart] of [
    ['python', 3, /KeyError: 'phone_number'" at fail\.py:14/, []],
    ['node', 6, /Cannot set properties of undefined/, ['a capital letter in ptn_cd']],
    ['java', 5, /BadPaddingException.* at Fail\.java:28/, []],
    ['nginx', 8, /"503 Service Temporarily Unavailable"/, []],
    ['page', 1, /the response is an HTML page: "Sign in"/, []],
    ['charles', 1, /the response is an HTML page: "Sign in"/, []],
  ] as const) {
    it(`finds the callbacks that failed, and why: ${file}`, async () => {
      save('f.log', readFileSync(`${failures}/${file}-error.log`));
      const { status, json } = await cliJson(['analyze', 'f.log']);
      const [first, ...others] = json.findings;
      assert.deepEqual([status, json.failed_exchanges, first.apart], [1, failed, apart]);
      assert.match(first.diagnosis.message, cause);
      if (file === 'java') assert.match((await analyze('f.log')).stdout, /^ +Java: Cipher/m);
      const ids = ['signin/secret-in-body-only', 'log/secret-key', 'signin/acs-token-once'];
      const rest = others.map(({ id }: { id: string }) => id);
      assert.deepEqual(rest.sort(), file === 'nginx' ? ids.sort() : []);
    });
  }

  it('tells the story of one user, of a time, and lists who is affected', async () => {
    save('f.log', readFileSync(`${failures}/nginx-error.log`));
    const one = await analyze('f.log', '--ptn-cd', 'u-2', '--until', '2026-11-27 03:04:10');
    assert.match(
      one.stdout,
      /^1 exchange of 1 user.*: 1 failed\n1 reg.*\n.*\n\n✗ 2026.*\(line 3\)\n/,
    );
    const { stdout } = await analyze(
      'f.log',
      '--since',
      '2026-11-27T12:04:05+09:00',
      '--users',
      '-',
    );
    const [head, ...users] = stdout.trim().split('\n');
    assert.equal(head, 'ptn_cd,first,last,failures,operation,check,cause');
    assert.match(users[0] ?? '', /^"u-5","2026-11-27T03:04:05\.000Z",.*,"1","registration",/);
    const listed = users.map((line) => line.split(',')[0]);
    assert.deepEqual(
      listed,
      ['u-5', 'u-8', 'u-11', 'u-0', 'u-1', 'u-2'].map((code) => `"${code}"`),
    );
  });

  it('exits 2 for requests without any response', async () => {
    save(
      'r.log',
      `in ${JSON.stringify(request)}\nin ${JSON.stringify({ ...request, ptn_cd: 'b' })}\n`,
    );
    const { status, json } = await cliJson(['analyze', 'r.log']);
    assert.deepEqual([status, json.exchanges, json.findings], [2, 2, []]);
    assert.match(json.error.message, /^Nothing was judged: of 2 exchanges/);
    const users = ['c', 'd', 'e'].map((ptn_cd) => `in ${JSON.stringify({ ...request, ptn_cd })}\n`);
    save('r.log', `${log}${users.join('')}`);
    const refusals = await cliJson(['analyze', 'r.log']);
    assert.deepEqual(refusals.json.affected_users, ['ada'], 'where most have no response');
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
    ['app.zst', Buffer.from('28b52ffd2411', 'hex'), /zstd/],
    ['app.bz2', 'BZh91AY&SY', /compressed with bzip2/],
    ['app.zip', 'PK\x03\x04\x14\x00', /compressed with zip.*\n.*unzip FILE/],
    ['a.saz', `PK\x03\x04${' '.repeat(26)}raw/`, /archive of Fiddler.*\n.*HTTPArchive/],
    ['flows', '1234:9:websocket;0:~8:response;', /flows of mitmproxy.*\n.*hardump=out\.har/],
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
