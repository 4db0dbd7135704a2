import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { run, type World } from '../support/run.ts';
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

async function doctor(argv: readonly string[] = [], world: Partial<World> = {}) {
  const result = await run(['doctor', '--json', ...argv], { configFile: freshConfig(), ...world });
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
    const world = { configFile: freshConfig() };
    const { stdout } = await run(['doctor'], world);
    assert.match(stdout, /\n5 ok, 0 warnings, 0 failures\nNo endpoint is set.*\n.*authcli init/);
    const looked = await run(['doctor', '--url', 'http://127.0.0.1:1/'], world);
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

  it('examines the way to an endpoint, and signs nobody up', async () => {
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
    ['20.18.3', 'failure', /older than authcli needs/],
    ['18.20.0', 'failure', /older than authcli needs/],
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
    assert.match(byId.get('proxy-variables')?.message ?? '', /the small letters count/);
  });

  it('lists a proxy that can not be used', async () => {
    const env = { http_proxy: 'ftp://proxy.test' };
    const { status, byId, document } = await doctor(['--url', 'http://127.0.0.1:1/'], { env });
    assert.equal(status, 2);
    assert.equal(document.error?.code, 'usage');
    assert.match(byId.get('network-options')?.message ?? '', /is no http or https URL/);
  });
});

describe('doctor --mend', () => {
  it('is named where a file is damaged, sets it aside and then finds nothing', async () => {
    const configFile = freshConfig();
    writeFileSync(configFile, '{"version":1,', { mode: 0o600 });
    const listed = await run(['config', 'list', '--json'], { configFile });
    assert.equal(listed.status, 4);
    const { error } = JSON.parse(listed.stdout) as { error: { code: string; hint: string } };
    assert.equal(error.code, 'config');
    assert.match(error.hint, /`authcli doctor --mend` sets it aside and deletes nothing/);
    const before = await doctor([], { configFile });
    assert.equal(before.status, 4);
    assert.match(before.byId.get('config-file')?.hint ?? '', /doctor --mend/);
    assert.equal(readFileSync(configFile, 'utf8'), '{"version":1,');

    const { status, byId } = await doctor(['--mend'], { configFile });
    assert.equal(status, 0);
    const aside = `${configFile}.damaged-2026-01-02T03-04-05-000Z`;
    assert.ok(byId.get('mended')?.message.endsWith(`It is kept as ${aside}.`));
    assert.equal(readFileSync(aside, 'utf8'), '{"version":1,');
    assert.equal((await doctor(['--mend'], { configFile })).byId.has('mended'), false);
  });

  it('leaves a newer file as it is', async () => {
    const configFile = freshConfig();
    writeFileSync(configFile, '{"version":9}', { mode: 0o600 });
    const { status, document } = await doctor(['--mend'], { configFile });
    assert.equal(status, 4);
    assert.equal(document.error?.hint.includes('--mend'), false);
    assert.equal(readFileSync(configFile, 'utf8'), '{"version":9}');
  });
});
