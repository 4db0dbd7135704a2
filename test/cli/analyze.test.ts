import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Secret } from '../../src/crypto/secret.ts';
import { RecordingWriter } from '../../src/relay/recording.ts';
import { exchange } from '../relay/traffic.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-analyze-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const { path, read, verifyApplication } = verifierIn(folder);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
const environment = { configFile: path('config.json'), cwd: folder };
const analyze = (argv: readonly string[], stdin?: string | Buffer) =>
  run(['analyze', ...argv], { ...environment, ...(stdin !== undefined && { stdin }) });
const save = (name: string, text: string | Buffer) => writeFileSync(path(name), text);

interface Found {
  readonly id: string;
  readonly level: string;
  readonly side: string;
  readonly count: number;
  readonly first: { readonly source: string };
}
const findingsIn = (stdout: string): readonly Found[] => JSON.parse(stdout).findings;

const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
const request = {
  client_id: 'c',
  used_type: '2',
  ptn_cd: 'ada',
  partner_sp: 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const refused = { code: 'E9', message: `no ${key}` };
const log = `2026-11-23 03:04:05 in ${JSON.stringify(request)}\n2026-11-23 03:04:06 out ${JSON.stringify(refused)}\n`;

describe('analyze', () => {
  /** What the archive shows of each fault: the checks that need no request of their own. */
  const faults = [
    'base64url',
    'message-missing',
    'text-content-type',
    'byte-order-mark',
    'unpadded-base64',
  ];
  for (const fault of [undefined, ...faults]) {
    it(`finds in the archive of verify what verify found: ${fault ?? 'nothing'}`, async () => {
      const { stdout } = await verifyApplication(fault === undefined ? [] : [fault], [
        '--har',
        'v.har',
        '--json',
        '--show-secrets',
      ]);
      const { checks } = JSON.parse(stdout);
      const analysis = JSON.parse(
        (await analyze(['v.har', '--json', '--report', 'json=a.json'])).stdout,
      );
      const report = JSON.parse(read('a.json'));
      assert.deepEqual(violations(report, schema), []);
      const passive = new Set(report.checks.map(({ id }: Found) => id));
      const failing = (all: readonly { id: string; status: string }[]) =>
        all
          .filter(({ id, status }) => passive.has(id) && ['failed', 'warned'].includes(status))
          .map(({ id, status }) => `${id} ${status}`)
          .sort();
      assert.deepEqual(failing(report.checks), failing(checks));
      assert.equal(analysis.findings.length > 0, fault !== undefined);
      assert.equal(analysis.operations.token, 0);
    });
  }

  it('hides credentials of headers in what it prints and reports', async () => {
    const headers = [
      ['Authorization', 'Bearer of-a-bearer'],
      ['Set-Cookie', 'sid=of-a-session; Path=/'],
    ].map(([name, value]) => ({ name, value }));
    const text = JSON.stringify({ ...refused, message: 'of-a-bearer, of-a-session' });
    const sent = { method: 'POST', url: 'https://app.example/callback', headers };
    const request_ = { ...sent, postData: { text: JSON.stringify(request) } };
    const entry = { request: request_, response: { status: 500, headers, content: { text } } };
    save('credentials.har', JSON.stringify({ log: { version: '1.2', entries: [entry] } }));
    const kinds = ['json', 'html'].flatMap((kind) => ['--report', `${kind}=c.${kind}`]);
    const { stdout, stderr } = await analyze(['credentials.har', '--json', ...kinds]);
    const people = await analyze(['credentials.har', '--verbose']);
    const texts = [stdout, stderr, read('c.json'), read('c.html'), people.stdout, people.stderr];
    for (const shown of texts) assert.doesNotMatch(shown, /of-a-bearer|of-a-session/);
    assert.match(read('c.json'), /\[redacted\]/);
  });

  it('sums up, then shows each finding with its first exchange and the fix', async () => {
    save('app.log', log + log.replaceAll('ada', 'grace'));
    const { status, stdout, stderr } = await analyze(['app.log']);
    assert.equal(status, 1);
    assert.match(
      stdout,
      /^2 exchanges of 2 users: 2 registrations\n2 of them break 1 requirement\.\n\n/,
    );
    assert.match(
      stdout,
      /✗ registration\/answers-success {2}the application must accept .*\n {2}2 times, first in line 1, ptn_cd ada\n {2}cause: /,
    );
    assert.match(
      stderr,
      /^error: 1 requirement broken: registration\/answers-success\.\nnext: {2}authcli explain code-not-success\n$/,
    );
  });

  it('names the file where there are several, and reads standard input', async () => {
    save('app.log', log);
    const [both, piped] = [
      await analyze(['app.log', '-', '--json'], log),
      await analyze(['-', '--json'], log),
    ];
    assert.equal(findingsIn(both.stdout)[0]?.first.source, 'app.log line 1');
    assert.equal(findingsIn(both.stdout)[0]?.count, 2);
    assert.equal(findingsIn(piped.stdout)[0]?.first.source, 'line 1');
  });

  it('never prints a secret that it found', async () => {
    const secret = 'the-secret-of-the-shop';
    const token = { client_id: 'c', secret_key: secret, ptn_token: 'pT-9f2c1b77e0' };
    save(
      'app.log',
      `${JSON.stringify(token)}\n${JSON.stringify({ code: 'E1', message: `bad ${secret} pT-9f2c1b77e0` })}\n${log}`,
    );
    for (const extra of [[], ['--json'], ['--verbose']]) {
      const { stdout, stderr } = await analyze([
        'app.log',
        '--key',
        key,
        '--report',
        'html=a.html',
        ...extra,
      ]);
      const all = stdout + stderr + read('a.html');
      for (const hidden of [secret, 'pT-9f2c1b77e0', key]) assert.ok(!all.includes(hidden), hidden);
    }
    const { stdout } = await analyze(['app.log', '--key', key, '--show-secrets']);
    assert.ok(stdout.includes(secret));
  });

  it('reads a recording without values, and says what that leaves open', async () => {
    const options = { version: '1', startedAt: 0, salt: Buffer.alloc(32, 1) };
    const writer = new RecordingWriter(options);
    const captured = exchange({ request, response: { code: '0000', message: '' } });
    save('r.jsonl', writer.header + writer.line({ ...captured, key: Secret.key(key) }));
    const { status, stdout, stderr } = await analyze(['r.jsonl']);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^1 exchange of 1 user: 1 registration\nNo requirement is broken\.\n$/);
    assert.match(stderr, /pseudonyms in place of secrets/);
  });

  it('writes reports of every kind, and overwrites none that it was not asked for', async () => {
    save('app.log', log);
    const kinds = ['json', 'junit', 'html', 'markdown'];
    await analyze(['app.log', ...kinds.flatMap((kind) => ['--report', `${kind}=out.${kind}`])]);
    for (const kind of kinds) assert.ok(statSync(path(`out.${kind}`)).size > 100, kind);
    assert.match(read('out.junit'), /registration\/answers-success/);
    assert.equal((await analyze(['app.log', '--report', 'har=x.har'])).status, 2);
  });

  it('says in the JSON report how to repeat the run, and the error as --json prints it', async () => {
    save("the shop's log.txt", log);
    const words = ["the shop's log.txt", '--json', '--report', 'json=repeat.json'];
    const printed = JSON.parse((await analyze(words)).stdout);
    const { repeat, error } = JSON.parse(read('repeat.json'));
    assert.equal(repeat, `authcli analyze 'the shop'\\''s log.txt'`);
    assert.equal(error.next, 'authcli explain code-not-success');
    assert.deepEqual(error, printed.error);
  });

  const unrelated: Readonly<Record<string, string | Buffer>> = {
    'other.har':
      '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"request":{"method":"GET","url":"https://example.com/","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"{}"}}}]}}',
    'other.log': 'GET / 200\n{"code":1}\n',
    'empty.log': '',
    'bytes.log': Buffer.from([0, 0xff, 0xfe, 0x7b, 0x0a, 0]),
  };
  for (const [name, content] of Object.entries(unrelated)) {
    it(`exits 2 for ${name}, which is about something else`, async () => {
      save(name, content);
      const { status, stderr } = await analyze([name]);
      assert.equal(status, 2);
      assert.match(
        stderr,
        new RegExp(`^error: No traffic of this interface was found in ${name.replace('.', '\\.')}`),
      );
    });
  }

  it('exits 2 for a file that does not exist, and for a recording of another version', async () => {
    save('new.jsonl', '{"schema":"authcli/recording/9"}\n');
    assert.match(
      (await analyze(['none.har'])).stderr,
      /^error: The file "none\.har" doesn't exist\./,
    );
    assert.match(
      (await analyze(['new.jsonl'])).stderr,
      /^error: new\.jsonl: .*authcli\/recording\/9/,
    );
  });

  const packed = gzipSync(log);
  const utf16 = Buffer.from(`\ufeff${log}`, 'utf16le');
  const written: Readonly<Record<string, Buffer>> = {
    'packed with gzip': packed,
    'packed with gzip in two members, the second one cut off': Buffer.concat([
      packed,
      gzipSync('2026-11-23 03:04:07 the next line\n'.repeat(1000)).subarray(0, -12),
    ]),
    'in UTF-16LE, as Windows PowerShell writes it': utf16,
    'in UTF-16BE': Buffer.from(utf16).swap16(),
    'in UTF-16 packed with gzip': gzipSync(utf16),
  };
  for (const [how, bytes] of Object.entries(written)) {
    it(`reads a log ${how}, from a file and from standard input`, async () => {
      save('app.log', log);
      const expected = findingsIn((await analyze(['app.log', '--json'])).stdout);
      assert.ok(expected.length > 0);
      save('written.log', bytes);
      assert.deepEqual(findingsIn((await analyze(['written.log', '--json'])).stdout), expected);
      assert.deepEqual(findingsIn((await analyze(['-', '--json'], bytes)).stdout), expected);
    });
  }

  const damaged = Buffer.from(packed);
  damaged[20] = (damaged[20] ?? 0) ^ 0xff;
  const refusals: readonly [string, Buffer, RegExp][] = [
    [
      'damaged.gz',
      damaged,
      /^error: damaged\.gz: The gzip data is damaged: .*\nfix: {3}Copy the file/,
    ],
    [
      'app.xz',
      Buffer.from('fd377a585a000004', 'hex'),
      /^error: app\.xz: It is compressed with xz, .*\nfix: {3}Unpack it: `xz -d FILE`/,
    ],
    ['app.zst', Buffer.from('28b52ffd2411', 'hex'), /compressed with zstd/],
    ['app.bz2', Buffer.from('BZh91AY&SY'), /compressed with bzip2/],
    ['app.zip', Buffer.from('PK\x03\x04\x14\x00'), /compressed with zip.*\n.*unzip FILE/],
  ];
  for (const [name, bytes, message] of refusals) {
    it(`says how to unpack what it can't: ${name}`, async () => {
      save(name, bytes);
      const { status, stderr } = await analyze([name]);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }

  const wrapped = Buffer.alloc(256, 7).toString('base64');
  const texts: readonly [string, readonly string[], string, number, RegExp][] = [
    [
      'an expire_dt',
      ['20260701120000', '--expire-time-zone', 'Asia/Seoul'],
      'expire_dt',
      0,
      /2026-07-01T12:00:00\+09:00/,
    ],
    [
      'the error text of a library',
      ['javax.crypto.BadPaddingException: x'],
      'error-text',
      0,
      /PKCS #7/,
    ],
    ['an enc_partner_key', [wrapped], 'enc_partner_key', 0, /256 bytes, as under RSA 2048/],
    [
      'a damaged enc_partner_key',
      [wrapped.replaceAll('H', '-')],
      'enc_partner_key',
      1,
      /base64url/,
    ],
    [
      'a payload',
      [request.partner_sp, '--key', key],
      'payload',
      1,
      /partner_sp, ptn_sp or ubifill/,
    ],
    ['a payload without a key', [request.partner_sp], 'payload', 0, /Give --key/],
  ];
  for (const [name, argv, kind, status, shown] of texts) {
    it(`explains ${name} given instead of a file`, async () => {
      const [text, inJson] = [await analyze(argv), await analyze([...argv, '--json'])];
      assert.equal(text.status, status, text.stderr);
      assert.match(text.stdout + inJson.stdout, shown);
      assert.equal(JSON.parse(inJson.stdout).kind, kind);
    });
  }
});
