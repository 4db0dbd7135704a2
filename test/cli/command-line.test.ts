import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { type RunEnvironment, run } from '../support/run.ts';

const configFile = '/nowhere/config.json';
const authcli = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
  run(argv, { configFile, ...environment });
const nobody = 'http://127.0.0.1:1/callback';

describe('the command line', () => {
  for (const [line, stdout] of [
    ['--json key generate', /^\{/],
    ['key --json generate', /^\{/],
    ['--config=/x/y.json config path', /^\/x\/y\.json$/m],
    ['config --config /x/y.json path', /^\/x\/y\.json$/m],
    ['config profile list', /default/],
    ['verify --list --strict --strict', /key-exchange/],
    ['--version', /^0\.0\.0-test$/m],
  ] as const) {
    it(`is read in any order: ${line}`, async () => {
      const result = await authcli(line.split(' '));
      assert.equal(result.status, 0, result.stderr);
      assert.match(result.stdout, stdout);
    });
  }

  const secret = '0123456789abcdef0123456789ABCDEF';
  for (const [line, message] of [
    ['key genrate', /command "key genrate"\.[\s\S]*key generate"\?\nnext: .* generate --help$/m],
    ['key nonsense x', /command "key nonsense"\.\nfix: +One of: key generate, /],
    ['key', /key needs a command\.\nfix: +One of: key generate, key wrap/],
    ['analyze', /analyze needs <file\.\.\.>/],
    ['nonsense at all', /command "nonsense"\.\nfix: .*--help` lists/],
    ['unwrap', /Did you mean "key unwrap"\?/],
    ['verify --url --client-id c', /Unexpected word "c"\..*\n.*verify takes options only/],
    ['verify --strict --url', /--url needs a value: .*\nfix: +Write --url <url>\.$/m],
    ['verify --json=true', /--json takes no value\./],
    ['signin --auth-url U extra words', /Unexpected word "extra"\./],
    ['key inspect one two', /Unexpected 1 word .*\n.*takes <text> and options\./],
    ['verify --strickt word', /Unknown option '--strickt'\.\nfix: +Did you mean --strict\?/],
    ['signin --ptn-token --auth-url U', /signin takes options only/],
    ['signin --ptn-token --abc', /needs --auth-url, .*\nfix: +Give --auth-url <url>, /],
    ['constructor', /Unknown command "constructor"/],
    [`verify --url ${nobody} --cert package.json`, /--cert needs --cert-key:.*\nfix: +Add --cert-/],
    [`verify --url ${nobody} --cert-key package.json`, /--cert-key needs --cert:/],
    [`--secret-key ${secret} sigin`, /Unknown option '--secret-key'/],
    [`--secret-key=${secret} signin`, /Unknown option '--secret-key'/],
    [`--secret-key ${secret}`, /Unknown option '--secret-key'/],
    [`signin --secret-key part ${secret}`, /Unexpected 1 word \(not shown/],
    [`signin --ptn-token ${secret} --bogus`, /Unknown option '--bogus'/],
    [`signin -k ${secret}`, /Unknown option '-k'\./],
    [`verfy --secret-key ${secret}`, /Unknown command "verfy"/],
    [`key gen --key=${secret}`, /Unknown command "key gen"/],
    [`simulate-signup --secret-key=${secret}`, /Unknown option '--secret-key'/],
    [`verify --acs-token=${secret} --url ${nobody}`, /Unknown option '--acs-token'/],
  ] as const) {
    it(`is refused, and shows no secret: ${line.replaceAll(secret, 'S')}`, async () => {
      const { status, stdout, stderr } = await authcli(line.split(' '));
      const json = await authcli([...line.split(' '), ...(/--json/.test(line) ? [] : ['--json'])]);
      assert.deepEqual([status, json.status], [2, 2]);
      assert.match(stdout + stderr, message);
      assert.ok(!`${stdout}${stderr}${json.stdout}${json.stderr}`.includes(secret));
    });
  }

  it('takes settings from the environment, and names a variable that counts no more once', async () => {
    for (const [argv, name, instead] of [
      [['verify'], 'AUTHCLI_USERS', '--users'],
      [['verify'], 'AUTHCLI_FORMAT', '--format'],
      [['relay'], 'AUTHCLI_TO', '--to or AUTHCLI_URL'],
      [['key', 'pair', '--bits', 'x'], 'AUTHCLI_OUT', '--out'],
    ] as const) {
      const env = { [name]: '3', AUTHCLI_URL: 'ftp://x' };
      const { status, stderr } = await authcli(argv, { env });
      const warned = stderr.match(/^warning: .*/gm);
      assert.deepEqual(warned, [`warning: ${name} isn't read any more: use ${instead}.`]);
      assert.match(stderr, /^error: (?:AUTHCLI_URL|--bits): /m);
      assert.equal(status, 2);
    }
  });

  it('begins in messages as authcli was started', async () => {
    const npx = { npm_command: 'exec' };
    const bin = '/work/shop/node_modules/.bin';
    const fetched = '/home/u/.npm/_npx/c72d/node_modules/.bin';
    const path = (folder: string) => ({ PATH: `/usr/bin:${folder}` });
    for (const [env, script, program] of [
      [npx, `${bin}/authcli`, 'npx authcli'],
      [{ npm_command: 'run' }, `${bin}/authcli`, 'npx authcli'],
      [{ ...npx, ...path(fetched) }, `${fetched}/authcli`, `${fetched}/authcli`],
      [{ ...npx, npm_package_name: 'authcli' }, `${fetched}/authcli`, 'npx authcli'],
      [path('/usr/local/bin'), '/usr/local/bin/authcli', 'authcli'],
      [path('/opt/npm'), '/opt/npm/node_modules/authcli/bin/authcli.js', 'authcli'],
      [{}, 'authcli-0.1.0/bin/authcli', 'authcli-0.1.0/bin/authcli'],
      [path('/usr/local/bin'), `${bin}/authcli`, './node_modules/.bin/authcli'],
      [{}, '/work/shop/bin/authcli.js', 'node bin/authcli.js'],
      [{}, '/work/a b/authcli', "'../a b/authcli'"],
    ] as const) {
      const context = { script, cwd: '/work/shop' };
      const { stderr } = await authcli(['config', 'get', 'proxy'], { env, context });
      assert.ok(stderr.includes(`fix:   \`${program} config set proxy …\``), stderr);
      assert.ok(stderr.includes(`next:  ${program} config list`), stderr);
    }
    const help = await authcli(['emulate', 'service', '--help'], { env: npx });
    assert.match(help.stdout, / npx authcli issue-ptn-token .* \| npx .* -- npx authcli signin /);
    const explained = await authcli(['explain', 'wrong-key'], { env: npx });
    assert.match(explained.stdout, /^ {5}npx authcli verify --url URL/m);
    const document = await authcli(['config', 'get', 'proxy', '--json'], { env: npx });
    assert.match(document.stdout, /`authcli config set proxy …`/);
  });
});

describe('the command line behind next:', () => {
  const env = { NAME: 'value-of-name' };
  const nextOf = async (argv: readonly string[]): Promise<string> => {
    const { stderr } = await authcli(argv, { env });
    return /^next: +([\s\S]*)\n$/m.exec(stderr)?.[1] ?? stderr;
  };
  const to = `--url ${nobody}`;
  const report = join(mkdtempSync(join(tmpdir(), 'authcli-')), 'report.json');
  const signin = `${to} --signin --secret-key`;
  for (const [typed, line] of [
    [`--url=${nobody}?a=b&c --strict`, `--url '${nobody}?a=b&c' --strict`],
    [`${to} --report json=${report} --verbose`, to],
    [`${to} --secret-key bare`, to],
    [`${to} --header X-Key:bare --header X-Key:env:NAME`, `${to} --header X-Key:env:NAME`],
    [`${to} --proxy http://u:p@127.0.0.1:1 --insecure`, `${to} --insecure`],
    [`${signin}=env:NAME -- sh -c a&b`, `${signin} env:NAME -- sh -c 'a&b'`],
  ] as const) {
    it(`is what was typed, without secrets: ${typed}`, async () => {
      const printed = await nextOf(['verify', ...typed.split(' ')]);
      assert.equal(printed, `authcli verify --wait 60s ${line}`);
    });
  }

  it('reads a secret from standard input that is required and in no profile', async () => {
    const argv = 'signin --ptn-token bare --secret-key s --client-id c --auth-url 127.0.0.1:1';
    const line = 'authcli signin --auth-url http://127.0.0.1:1 --ptn-token - --client-id c';
    assert.equal(await nextOf(argv.split(' ')), line);
  });

  for (const value of [`a"b'c\n$(id)\`id\`!\\`, '--secret-key', ' ']) {
    it(`gives a shell the same words, and no secret: ${JSON.stringify(value)}`, async () => {
      const secret = `Kx7${value.trim()}Kx7`;
      const line = await nextOf([
        ...['verify', '--url', nobody, '--secret-key', secret, `--super-passcode=${secret}`],
        ...['--key', secret, '--header', `X-Key: ${secret.replaceAll('\n', ' ')}`],
        ...[`--seed=${value}`, '--signin', '--', 'true', value],
      ]);
      assert.ok(!line.includes('Kx7'), line);
      const printing = `authcli() { printf '%s\\0' "$@"; }\n${line}`;
      const words = execFileSync('sh', ['-c', printing], { encoding: 'utf8' }).split('\0');
      const options = ['--wait', '60s', '--url', nobody, '--seed', value, '--signin'];
      assert.deepEqual(words, ['verify', ...options, '--', 'true', value, '']);
    });
  }

  for (const [typed, line] of [
    [`verify ${nobody} --wait 1ms`, `doctor --url ${nobody}`],
    [`simulate-signup --no-save ${nobody}`, `doctor --url ${nobody}`],
    ['verify 127.0.0.1:1 --strict', 'verify --url http://127.0.0.1:1 --strict'],
    [`doctor ${nobody}`, 'explain refused'],
  ] as const)
    it(`leads on from ${typed}`, async () =>
      assert.equal(await nextOf(typed.split(' ')), `authcli ${line}`));

  const closed = `simulate-signup ${to} --no-save --super-passcode sesame-of-bob`;
  for (const line of [
    'users show alice',
    'key inspect nonsense',
    'simulate-signup --url nowhere',
    `simulate-signpu ${to}`,
    `${closed} --no-sav`,
    'decrypt AAAA --key 01234567890123456789012345678901',
  ]) {
    it(`is the same in error.next of --json: ${line}`, async () => {
      const printed = await nextOf(line.split(' '));
      const { error } = JSON.parse((await authcli([...line.split(' '), '--json'])).stdout);
      // a corrected line keeps what shapes the output
      assert.equal(error.next.replace(/ --json$/, ''), printed);
      assert.doesNotMatch(printed, /sesame/);
    });
  }

  it('is absent where the user stopped the run', async () => {
    const signal = AbortSignal.abort(new AuthcliError('interrupted', 'Interrupted.'));
    const { stdout } = await authcli(`${closed} --json`.split(' '), { signal });
    const { error } = JSON.parse(stdout);
    assert.deepEqual([error.code, 'next' in error], ['interrupted', false]);
  });
});
