import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let configs = 0;

function freshConfig(): string {
  configs += 1;
  return join(folder, `${configs}.json`);
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string;
}

async function doctor(argv: readonly string[] = [], environment: Partial<RunEnvironment> = {}) {
  const result = await run(['doctor', '--json', ...argv], {
    configFile: freshConfig(),
    ...environment,
  });
  const document = JSON.parse(result.stdout) as {
    readonly ok: boolean;
    readonly checks: readonly Check[];
    readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
  };
  const byId = new Map(document.checks?.map((check) => [check.id, check]));
  return { ...result, document, byId };
}

const local = ['config-file', 'permissions', 'node', 'openssl', 'proxy-variables'];

describe('doctor', () => {
  it('says that no endpoint was looked at where none is set', async () => {
    const environment = { configFile: freshConfig() };
    const { stdout } = await run(['doctor'], environment);
    assert.match(stdout, /\n5 ok, 0 warnings, 0 failures\nNo endpoint is set.*\n.*authcli init/);
    const looked = await run(['doctor', '--url', 'http://127.0.0.1:1/'], environment);
    assert.doesNotMatch(looked.stdout, /No endpoint is set/);
  });

  it('examines the local part alone without a URL', async () => {
    const { status, document } = await doctor();
    assert.equal(status, 0);
    assert.deepEqual(
      document.checks.map(({ id, status: found }) => [id, found]),
      local.map((id) => [id, 'ok']),
    );
    for (const check of document.checks) {
      assert.deepEqual(Object.keys(check), ['id', 'status', 'message', 'hint']);
    }
  });

  it('examines the way to an endpoint, and signs no user up', async () => {
    const app = await startSide(['app'], { configFile: freshConfig() });
    const { status, byId } = await doctor(['--url', `${app.url}/callback`]);
    const { stdout } = await app.stop();
    assert.equal(status, 0);
    assert.deepEqual(
      [...byId.keys()].filter((id) => id.startsWith('url/')),
      ['proxy', 'dns', 'ipv4', 'ipv6', 'tls', 'redirect', 'request', 'clock'].map(
        (id) => `url/${id}`,
      ),
    );
    assert.match(byId.get('url/request')?.message ?? '', /405 .* it takes POST/);
    assert.doesNotMatch(stdout, /key-exchange|registration/);
  });

  it('examines both endpoints that are set', async () => {
    const configFile = freshConfig();
    const service = await startSide(['service'], { configFile: freshConfig() });
    await run(['config', 'set', 'auth-url', service.url], { configFile });
    const { byId } = await doctor([], { configFile });
    await service.stop();
    assert.match(byId.get('auth-url/request')?.message ?? '', /OPTIONS \/process\/token/);
    assert.ok(!byId.has('url/request'));
  });

  it('leaves an endpoint of the profile alone where the other one is typed', async () => {
    const configFile = freshConfig();
    const app = await startSide(['app'], { configFile: freshConfig() });
    await run(['config', 'set', 'auth-url', 'http://127.0.0.1:1/'], { configFile });
    const { status, byId } = await doctor(['--url', `${app.url}/callback`], { configFile });
    assert.equal(status, 0);
    assert.ok(!byId.has('auth-url/request') && !byId.has('auth-url/ipv4'));
    await run(['config', 'set', 'url', `${app.url}/callback`], { configFile });
    const both = await doctor([], { configFile });
    await app.stop();
    assert.equal(both.status, 3, 'both are examined where none is typed');
  });

  it('does not warn of an endpoint that knows POST alone', async () => {
    for (const status of [404, 405, 501]) {
      const server = await listen(
        createServer((request, response) => {
          response.writeHead(request.method === 'POST' ? 200 : status).end();
        }),
        'http',
      );
      const { byId } = await doctor(['--url', server.url.href]);
      await server.close();
      assert.equal(byId.get('url/request')?.status, 'ok', String(status));
    }
  });

  it('examines whether the references of secrets lead to them', async () => {
    const configFile = freshConfig();
    await run(['config', 'set', 'secret-key', 'env:SHOP_SECRET'], { configFile });
    const missing = await doctor([], { configFile });
    assert.equal(missing.status, 2);
    const check = missing.byId.get('reference/secret-key');
    assert.equal(check?.status, 'failure');
    assert.match(check.message, /the environment variable SHOP_SECRET is not set/);
    const env = { SHOP_SECRET: 'a secret of the shop' };
    const found = await doctor([], { configFile, env });
    assert.equal(found.status, 0);
    assert.equal(found.byId.get('reference/secret-key')?.status, 'ok');
  });

  it('reads references up to --max-input, as the commands that need them do', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'authcli-doctor-large-')), 'secret');
    writeFileSync(file, 'x'.repeat(3000), { mode: 0o600 });
    const configFile = freshConfig();
    await run(['config', 'set', 'secret-key', `file:${file}`], { configFile });
    const small = await doctor(['--max-input', '1KiB'], { configFile });
    const check = small.byId.get('reference/secret-key');
    assert.match(`${check?.status}: ${check?.message}`, /^failure: .*the limit is 1 KiB/s);
    const large = await doctor(['--max-input', '4KiB'], { configFile });
    assert.equal(large.byId.get('reference/secret-key')?.status, 'ok');
  });

  it('reports a file of a secret that others can read or write, and no other', async () => {
    const open = mkdtempSync(join(tmpdir(), 'authcli-doctor-open-'));
    chmodSync(open, 0o755);
    const file = join(open, "shop's secret");
    writeFileSync(file, 'a secret of the shop');
    const configFile = freshConfig();
    await run(['config', 'set', 'secret-key', `file:${file}`], { configFile });
    const examined = async (mode: number) => {
      chmodSync(file, mode);
      const { byId, stderr } = await doctor([], { configFile });
      assert.doesNotMatch(stderr, /warning/);
      return byId.get('reference/secret-key');
    };
    assert.equal((await examined(0o600))?.status, 'ok');
    const read = await examined(0o644);
    assert.equal(read?.status, 'warning');
    assert.match(read.message, /others can read the file ".*shop's secret" \(mode 0644\)\.$/);
    const [, command] = /, run (chmod 600 .*)$/.exec(read.hint) ?? [];
    execFileSync('sh', ['-c', command ?? '']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const written = await examined(0o622);
    assert.equal(written?.status, 'failure');
    assert.match(written.message, /others can write the file/);
    rmSync(open, { recursive: true });
  });

  it('says what to do next, line by line', async () => {
    const argv = ['doctor', '--url', 'http://127.0.0.1:1/callback'];
    const { status, stdout, stderr } = await run(argv, { configFile: freshConfig() });
    assert.equal(status, 3);
    assert.match(stdout, /^✓ node {2}Node 22\.0\.0\.$/m);
    assert.match(stdout, /^✗ url\/ipv4 {2}failure: No connection to 127\.0\.0\.1:1: .*\n {4}→ /m);
    assert.match(stdout, /^\d+ ok, 0 warnings, 1 failure$/m);
    assert.match(stderr, /^error: url\/ipv4: No connection/);
  });

  it('exits 1 for a redirect', async () => {
    const server = await listen(
      createServer((_, response) => {
        response.writeHead(302, { location: '/login' }).end();
      }),
      'http',
    );
    const { status, document } = await doctor(['--url', server.url.href]);
    await server.close();
    assert.equal(status, 1);
    assert.equal(document.error?.code, 'redirect');
  });

  it('lists a damaged config file, and goes on', async () => {
    const configFile = freshConfig();
    writeFileSync(configFile, '{ "version": 1, ', { mode: 0o600 });
    const { status, document, byId } = await doctor([], { configFile });
    assert.equal(status, 4);
    assert.equal(document.error?.code, 'config');
    assert.equal(byId.get('config-file')?.status, 'failure');
    assert.match(byId.get('config-file')?.message ?? '', /is damaged/);
    assert.equal(byId.get('node')?.status, 'ok');
  });

  it('reports a folder in which nothing can be stored, and leads back to nothing', async () => {
    const configFile = '/proc/authcli/config.json';
    const { byId, document, status } = await doctor([], { configFile });
    assert.equal(status, 4);
    assert.match(byId.get('config-folder')?.message ?? '', /^Can't write in \/proc: /);
    assert.ok(!('next' in (document.error ?? {})));
  });

  it('warns of a file that others can read', async () => {
    const configFile = freshConfig();
    await run(['config', 'set', 'client-id', 'c'], { configFile });
    chmodSync(configFile, 0o644);
    const { status, byId } = await doctor([], { configFile });
    assert.equal(status, 0);
    assert.equal(byId.get('permissions')?.status, 'warning');
    assert.match(byId.get('permissions')?.message ?? '', /mode 0644/);
    assert.match(byId.get('permissions')?.hint ?? '', /chmod 600/);
  });

  const nodes = [
    ['20.18.3', 'failure', /too old for authcli/],
    ['18.20.0', 'failure', /too old for authcli/],
    ['20.19.0', 'ok', /Node 20\.19\.0/],
    ['23.1.0', 'warning', /without long-term support/],
    ['26.0.0', 'ok', /Node 26/],
  ] as const;
  for (const [node, expected, message] of nodes) {
    it(`has Node ${node} as ${expected}`, async () => {
      const platform = { node, openssl: '3.0.0', os: 'linux' };
      const { status, byId } = await doctor([], { context: { platform } });
      assert.equal(byId.get('node')?.status, expected);
      assert.match(byId.get('node')?.message ?? '', message);
      assert.equal(status, expected === 'failure' ? 2 : 0);
    });
  }

  it('names the proxy variables without their values', async () => {
    const env = { http_proxy: 'http://user:pa55word@proxy.test:3128', NO_PROXY: '*' };
    const { byId, stdout } = await doctor([], { env });
    assert.equal(byId.get('proxy-variables')?.message, 'Set: http_proxy, NO_PROXY.');
    assert.doesNotMatch(stdout, /pa55word/);
  });

  it('warns of proxy variables that contradict each other', async () => {
    const env = { https_proxy: 'http://a.test', HTTPS_PROXY: 'http://b.test' };
    const { byId } = await doctor([], { env });
    assert.equal(byId.get('proxy-variables')?.status, 'warning');
    assert.match(byId.get('proxy-variables')?.message ?? '', /the lower-case one is used/);
  });

  it('lists a proxy that can not be used', async () => {
    const env = { http_proxy: 'ftp://proxy.test' };
    const { status, byId, document } = await doctor(['--url', 'http://127.0.0.1:1/'], { env });
    assert.equal(status, 2);
    assert.equal(document.error?.code, 'usage');
    assert.match(byId.get('network-options')?.message ?? '', /is not an http or https URL/);
  });
});

describe('doctor --fix', () => {
  it('is named where a file is damaged, sets it aside and then finds nothing', async () => {
    const configFile = freshConfig();
    writeFileSync(configFile, '{"version":1,', { mode: 0o600 });
    const listed = await run(['config', 'list', '--json'], { configFile });
    assert.equal(listed.status, 4);
    const { error } = JSON.parse(listed.stdout) as { error: { code: string; hint: string } };
    assert.equal(error.code, 'config');
    assert.match(error.hint, /`authcli doctor --fix` moves it aside without deleting anything/);
    const before = await doctor([], { configFile });
    assert.equal(before.status, 4);
    assert.match(before.byId.get('config-file')?.hint ?? '', /doctor --fix/);
    assert.equal(readFileSync(configFile, 'utf8'), '{"version":1,');

    const { status, byId } = await doctor(['--fix'], { configFile });
    assert.equal(status, 0);
    const aside = `${configFile}.damaged-2026-01-02T03-04-05-000Z`;
    assert.ok(byId.get('moved')?.message.endsWith(`It was moved to ${aside}.`));
    assert.equal(readFileSync(aside, 'utf8'), '{"version":1,');
    assert.equal((await doctor(['--fix'], { configFile })).byId.has('moved'), false);
  });

  it('leaves a newer file as it is', async () => {
    const configFile = freshConfig();
    writeFileSync(configFile, '{"version":9}', { mode: 0o600 });
    const { status, document } = await doctor(['--fix'], { configFile });
    assert.equal(status, 4);
    assert.equal(document.error?.hint.includes('--fix'), false);
    assert.equal(readFileSync(configFile, 'utf8'), '{"version":9}');
  });
});
