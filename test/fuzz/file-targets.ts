import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitWords } from '../../src/cli/args/input.ts';
import { byteSize, duration, header } from '../../src/cli/args/values.ts';
import { chooseAddresses, parseAddressOverride } from '../../src/client/addresses.ts';
import { chooseProxy } from '../../src/client/proxy.ts';
import { readBaseline } from '../../src/conformance/baseline.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import { readUserCodes } from '../../src/conformance/test-data.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { callbackUrl, tokenUrl } from '../../src/protocol/endpoints.ts';
import { parseUsers } from '../../src/state/user-rows.ts';
import { escapeControls } from '../../src/text.ts';
import { run } from '../support/run.ts';
import { assertSilent, type Target, textOf } from './target.ts';

const secret = 'Xq7PlainSecretOfTheFuzzer2Kw9';
const row = JSON.stringify({
  ptn_cd: 'alice',
  key: secret,
  super_passcode: secret,
  state: 'registered',
});
const check = { id: 'a/b', title: 'A', status: 'failed', diagnosis: { code: 'reset' } };
const report = JSON.stringify({
  schema: 'authcli/verify/1',
  checks: [check, { ...check, id: 'c/d' }],
});
const config = JSON.stringify({
  version: 1,
  profile: 'default',
  profiles: {
    default: { url: 'http://localhost/', 'secret-key': secret, headers: [`x: ${secret}`] },
  },
});

/**
 * Runs a command under --json; it must end as the contract says, with one document, no bug, and
 * the secret untold.
 */
async function command(argv: readonly string[], stdin: Uint8Array, configFile = 'none.json') {
  const { status, stdout, stderr } = await run([...argv, '--json'], { configFile, stdin });
  const document = JSON.parse(stdout) as { ok: boolean; error?: { code: string; message: string } };
  assert.notEqual(document.error?.code, 'internal', document.error?.message);
  assert.ok([0, 1, 2, 4].includes(status), `exit ${status}`);
  assert.equal(document.ok, status === 0);
  assertSilent(stdout + stderr, secret);
  assert.doesNotMatch(stdout + stderr, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
}

/** A file that exists for the length of one call. */
async function withFile(bytes: Uint8Array, use: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-fuzz-'));
  try {
    const file = join(folder, 'config.json');
    writeFileSync(file, bytes, { mode: 0o600 });
    await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files and flags, which a user or another program wrote. */
export const fileTargets: readonly Target[] = [
  {
    name: 'users to import',
    samples: [`[${row}]`, `${row}\n${row.replace('alice', 'bob')}`, `{"users":[${row}]}`],
    codes: ['usage'],
    read: (bytes) => parseUsers(textOf(bytes)),
    secret,
    share: 2,
  },
  {
    name: 'known failures',
    samples: [
      JSON.stringify({
        schema: 'authcli/expect/1',
        known_failures: [{ check: 'key-exchange/*', reason: 'soon', until: '2027-01-31' }],
      }),
    ],
    codes: ['usage'],
    read: (bytes) => readBaseline(textOf(bytes), checks),
    share: 2,
  },
  {
    name: 'user codes',
    samples: ['alice\nbob\n# nobody\n'],
    codes: ['usage'],
    read: (bytes) => readUserCodes(textOf(bytes)),
  },
  {
    name: 'config file',
    samples: [config, ''],
    read: (bytes) => withFile(bytes, (file) => command(['config', 'list'], bytes, file)),
    share: 0.1,
  },
  {
    name: 'file of a user',
    samples: [JSON.stringify({ version: 1, ...JSON.parse(row) })],
    read: (bytes) =>
      withFile(Buffer.alloc(0), (file) => command(['users', 'import', '-'], bytes, file)),
    share: 0.1,
  },
  {
    name: 'report to compare',
    samples: [report],
    read: (bytes) =>
      withFile(Buffer.from(report), (file) => command(['report', 'diff', file, '-'], bytes)),
    share: 0.1,
  },
  {
    name: 'duration, size and header',
    samples: ['250ms', '1.5m', '64KiB', 'X-Api-Key: abc'],
    codes: ['usage'],
    read: (bytes) => {
      const text = textOf(bytes);
      splitWords(text);
      assert.doesNotMatch(escapeControls(text), /\p{Cc}|\p{Bidi_Control}/u);
      const readers = [duration, byteSize, header];
      return (readers[bytes.length % readers.length] ?? duration)(text);
    },
  },
  {
    name: 'URLs',
    samples: ['http://localhost:8080/callback', 'https://user:pass@[::1]:443/a?b=c#d', 'localhost'],
    codes: ['usage'],
    read: (bytes) => (bytes.length % 2 === 0 ? callbackUrl : tokenUrl)(textOf(bytes)),
  },
  {
    name: 'proxy',
    samples: [`http://user:${secret}@proxy.example:3128`, `user:${secret}@proxy`, 'socks5://x'],
    codes: ['usage'],
    read: (bytes) =>
      chooseProxy({ http: Secret.text(textOf(bytes)), noProxy: textOf(bytes) })(
        new URL('http://a/'),
      ),
    secret,
  },
  {
    name: 'address for a name',
    samples: ['app.example.com:443:127.0.0.1', '*:80:[::1],10.0.0.1'],
    codes: ['usage'],
    read: (bytes) => chooseAddresses([parseAddressOverride(textOf(bytes))])('a', '80'),
  },
];
