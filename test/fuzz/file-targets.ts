import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitWords } from '../../src/cli/args/input.ts';
import { duration, header } from '../../src/cli/args/values.ts';
import { chooseAddresses, parseAddressOverride } from '../../src/client/addresses.ts';
import { chooseProxy } from '../../src/client/route.ts';
import { readBaseline } from '../../src/conformance/baseline.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import { readUserCodes } from '../../src/conformance/test-data.ts';
import { callbackUrl, tokenUrl } from '../../src/protocol/endpoints.ts';
import { parseUsers } from '../../src/state/user-rows.ts';
import { escapeControls } from '../../src/text.ts';
import { run } from '../support/run.ts';
import { assertSilent, type Target, textOf } from './target.ts';

const secret = 'Xq7PlainSecretOfTheFuzzer2Kw9';
const user = { ptn_cd: 'alice', key: secret, super_passcode: secret, state: 'registered' };
const row = JSON.stringify(user);
const check = { id: 'a/b', title: 'A', status: 'failed', diagnosis: { code: 'reset' } };
const reported = [check, { ...check, id: 'c/d' }];
const report = JSON.stringify({ schema: 'authcli/verify/1', checks: reported });
const profile = { url: 'http://localhost/', 'secret-key': secret, headers: [`x: ${secret}`] };
const config = JSON.stringify({ version: 1, profile: 'default', profiles: { default: profile } });

/**
 * Runs a command under --json, with a file that exists for its length; it must end as the contract
 * says, with one document, no bug, and the secret untold.
 */
async function command(contents: string | Uint8Array, argv: readonly string[], stdin: Uint8Array) {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-fuzz-'));
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, contents, { mode: 0o600 });
  const named = argv.map((word) => (word === 'FILE' ? configFile : word));
  const files = named.includes(configFile) ? { configFile: 'none.json' } : { configFile };
  const { status, stdout, stderr } = await run([...named, '--json'], { ...files, stdin });
  rmSync(folder, { recursive: true });
  const document = JSON.parse(stdout) as { ok: boolean; error?: { code: string; message: string } };
  assert.notEqual(document.error?.code, 'internal', document.error?.message);
  assert.ok([0, 1, 2, 4].includes(status), `exit ${status}`);
  assert.equal(document.ok, status === 0);
  assertSilent(stdout + stderr, secret);
  assert.doesNotMatch(stdout + stderr, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
}

const known = { check: 'key-exchange/*', reason: 'soon', until: '2027-01-31' };
const baseline = JSON.stringify({ schema: 'authcli/expect/1', known_failures: [known] });
const users = [`[${row}]`, `${row}\n${row.replace('alice', 'bob')}`, `{"users":[${row}]}`];
const userFile = JSON.stringify({ version: 1, ...user });
const urls = ['http://localhost:8080/callback', 'https://user:pass@[::1]:443/a?b=c#d', 'localhost'];
const proxies = [`http://user:${secret}@proxy.example:3128`, `user:${secret}@proxy`, 'socks5://x'];

const refuses = true;
const share = 2;
const program = { share: 0.1 };
/** Files and flags, which a user or another program wrote. */
export const fileTargets: readonly Target[] = [
  ['users to import', users, (bytes) => parseUsers(textOf(bytes)), { refuses, secret, share }],
  [
    'known failures',
    [baseline],
    (bytes) => readBaseline(textOf(bytes), checks),
    { refuses, share },
  ],
  ['user codes', ['alice\nbob\n# x\n'], (bytes) => readUserCodes(textOf(bytes)), { refuses }],
  ['config file', [config, ''], (bytes) => command(bytes, ['config', 'list'], bytes), program],
  ['file of a user', [userFile], (bytes) => command('', ['users', 'import', '-'], bytes), program],
  [
    'report to compare',
    [report],
    (bytes) => command(report, ['report', 'diff', 'FILE', '-'], bytes),
    program,
  ],
  [
    'duration, size and header',
    ['250ms', '1.5m', '64KiB', 'X-Api-Key: abc'],
    (bytes) => {
      const text = textOf(bytes);
      splitWords(text);
      assert.doesNotMatch(escapeControls(text), /\p{Cc}|\p{Bidi_Control}/u);
      return ([duration, header][bytes.length % 2] ?? duration)(text);
    },
    { refuses },
  ],
  ['callback', urls, (bytes) => callbackUrl(textOf(bytes)), { refuses }],
  ['{auth_url}', urls, (bytes) => tokenUrl(textOf(bytes)), { refuses }],
  [
    'proxy',
    proxies,
    (bytes) => {
      const text = textOf(bytes);
      return chooseProxy({ http: text, noProxy: text })(new URL('http://a/'));
    },
    { refuses, secret },
  ],
  [
    'address for a name',
    ['app.example.com:443:127.0.0.1', '*:80:[::1],10.0.0.1'],
    (bytes) => chooseAddresses([parseAddressOverride(textOf(bytes))])('a', '80'),
    { refuses },
  ],
];
