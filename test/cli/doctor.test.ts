import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunEnvironment } from '../support/run.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { path, freshConfig, save, cli, cliJson } = workspace();
const nobody = 'http://127.0.0.1:1/callback';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string;
}

/** Runs it for a profile that has these settings. */
async function doctor(
  argv: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
  environment: Partial<RunEnvironment> = {},
) {
  const configFile = environment.configFile ?? freshConfig();
  for (const [name, value] of Object.entries(settings))
    await cli(['config', 'set', name, value], { configFile });
  const result = await cliJson(['doctor', ...argv], { ...environment, configFile });
  const checks: readonly Check[] = result.json.checks ?? [];
  const found = (id: string): string => {
    const [{ status, message, hint } = {}] = checks.filter((check) => check.id === id);
    return `${status}: ${message} ${hint}`;
  };
  return { ...result, ids: checks.map(({ id }) => id), found };
}

describe('doctor', () => {
  it('examines the local part alone without a URL, and says so', async () => {
    const { status, json, ids } = await doctor();
    const local = ['config-file', 'permissions', 'node', 'openssl', 'proxy-variables'];
    assert.deepEqual([status, ids], [0, local]);
    assert.deepEqual(Object.keys(json.checks[0]), ['id', 'status', 'message', 'hint']);
    const { stdout } = await cli(['doctor'], { configFile: freshConfig() });
    assert.match(stdout, /\n5 ok, 0 warnings, 0 failures\nNo endpoint is set.*\n.*authcli init/);
  });

  it('examines the way to an endpoint, and signs no user up', async () => {
    const app = await startSide(['app'], { configFile: freshConfig() });
    const callback = `${app.url}/callback`;
    const one = await doctor(['--url', callback]);
    const both = await doctor([], { url: callback, 'auth-url': nobody });
    const { stdout } = await app.stop();
    const way = ['proxy', 'dns', 'ipv4', 'ipv6', 'tls', 'redirect', 'request', 'clock'];
    const ids = one.ids.filter((id) => id.includes('url/'));
    assert.deepEqual([one.status, ids, both.status], [0, way.map((id) => `url/${id}`), 3]);
    assert.match(one.found('url/request'), /405 .* it takes POST/);
    assert.doesNotMatch(stdout, /key-exchange|registration/);
  });

  save('large-secret', 'x'.repeat(2_000_000));
  chmodSync(path('large-secret'), 0o600);
  const reference = 'reference/secret-key';
  const fromEnv = { 'secret-key': 'env:SHOP_SECRET' };
  const large = { 'secret-key': `file:${path('large-secret')}` };
  const header = { headers: 'x-key: env:SHOP_SECRET' };
  const proxy = { http_proxy: 'http://user:pa55word@proxy.test:3128', NO_PROXY: '*' };
  const two = { https_proxy: 'http://a.test', HTTPS_PROXY: 'http://b.test' };
  const ftp = { proxy: 'ftp://proxy.test' };
  const none = '/proc/authcli/config.json';
  const onNode = (node: string) => ({
    context: { platform: { node, openssl: '3.0.0', os: 'linux' } },
  });
  type Row = readonly [
    ...[id: string, found: RegExp, status: number],
    ...[settings?: object, environment?: Partial<RunEnvironment>, ...argv: string[]],
  ];
  const rows: readonly Row[] = [
    [reference, /^failure: .*variable SHOP_SECRET is not set/, 2, fromEnv, {}, '--url', nobody],
    [reference, /^ok: /, 0, fromEnv, { env: { SHOP_SECRET: 'a secret of the shop' } }],
    ['reference/headers x-key', /^failure: .*SHOP_SECRET is not set/, 2, header],
    [reference, /^failure: .*the limit is 1 MiB/s, 2, large],
    ['proxy-variables', /^ok: Set: http_proxy, NO_PROXY\./, 0, {}, { env: proxy }],
    ['proxy-variables', /^warning: .*the lower-case one is used/, 0, {}, { env: two }],
    ['network-options', /is not an http or https/, 2, ftp, {}, '--url', nobody],
    ['config-folder', /^failure: Can't write in \/proc: /, 4, {}, { configFile: none }],
    ['node', /^failure: .*too old for authcli/, 2, {}, onNode('20.18.3')],
    ['node', /^failure: .*too old for authcli/, 2, {}, onNode('18.20.0')],
    ['node', /^ok: Node 20\.19\.0/, 0, {}, onNode('20.19.0')],
    ['node', /^ok: Node 26/, 0, {}, onNode('26.0.0')],
  ];
  for (const [id, message, expected, settings = {}, environment = {}, ...argv] of rows) {
    it(`examines ${id}: ${message.source}`, async () => {
      const { status, stdout, json, found } = await doctor(argv, { ...settings }, environment);
      assert.match(found(id), message);
      assert.deepEqual([status, status === 4 && 'next' in json.error], [expected, false]);
      assert.doesNotMatch(stdout, /pa55word|a secret of the shop/);
    });
  }

  it('reports files that others can read or write, and no other', async () => {
    const open = mkdtempSync(join(tmpdir(), 'authcli-doctor-open-'));
    chmodSync(open, 0o755);
    const file = join(open, "shop's secret");
    writeFileSync(file, 'a secret of the shop');
    const configFile = freshConfig();
    const examined = async (mode: number) => {
      chmodSync(file, mode);
      const examined = await doctor([], { 'secret-key': `file:${file}` }, { configFile });
      assert.doesNotMatch(examined.stderr, /warning/);
      return examined.found(reference);
    };
    assert.match(await examined(0o600), /^ok/);
    const read = await examined(0o644);
    assert.match(read, /^warning: .*others can read the file ".*shop's secret" \(mode 0644\)\./);
    const [, command = ''] = /, run (chmod 600 .*)$/.exec(read) ?? [];
    execFileSync('sh', ['-c', command]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(await examined(0o622), /^failure: .*others can write the file/);
    rmSync(open, { recursive: true });
    chmodSync(configFile, 0o644);
    const { found } = await doctor([], {}, { configFile });
    assert.match(found('permissions'), /^warning: .*mode 0644.*chmod 600/);
  });

  it('says what to do next, line by line', async () => {
    const argv = ['doctor', '--url', nobody];
    const { status, stdout, stderr } = await cli(argv, { configFile: freshConfig() });
    assert.equal(status, 3);
    assert.match(stdout, /^✓ node {2}Node 22\.0\.0\.$/m);
    assert.match(stdout, /^✗ url\/ipv4 {2}failure: No connection to 127\.0\.0\.1:1: .*\n {4}→ /m);
    assert.match(stdout, /^\d+ ok, 0 warnings, 1 failure$/m);
    assert.match(stderr, /^error: url\/ipv4: No connection/);
  });
});

it('doctor names a damaged file and leaves it as it is', async () => {
  const configFile = path('damaged.json');
  save('damaged.json', '{"version":1,');
  const { status, json, found } = await doctor([], {}, { configFile });
  assert.deepEqual([status, json.error.code], [4, 'config']);
  assert.match(found('config-file'), /^failure: .* is damaged.*by hand/s);
  assert.equal(readFileSync(configFile, 'utf8'), '{"version":1,');
});
