import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let configs = 0;
const freshConfig = (): string => join(folder, `${++configs}.json`);

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string;
}

async function doctor(argv: readonly string[] = [], environment: Partial<RunEnvironment> = {}) {
  const configFile = freshConfig();
  const result = await run(['doctor', '--json', ...argv], { configFile, ...environment });
  const document = JSON.parse(result.stdout) as {
    readonly checks?: readonly Check[];
    readonly error?: { readonly code: string; readonly hint: string };
  };
  const byId = new Map(document.checks?.map((check) => [check.id, check]));
  const found = (id: string): string => {
    const { status = 'none', message = '', hint = '' } = byId.get(id) ?? {};
    return `${status}: ${message} ${hint}`;
  };
  return { ...result, document, byId, found };
}

async function respond(answer: RequestListener) {
  const server = await listen(createServer(answer), 'http');
  return doctor(['--url', server.url.href]).finally(server.close);
}

describe('doctor', () => {
  it('examines the local part alone without a URL, and says so', async () => {
    const { status, document } = await doctor();
    assert.equal(status, 0);
    assert.deepEqual(
      document.checks?.map(({ id, status: found }) => `${id} ${found}`),
      ['config-file ok', 'permissions ok', 'node ok', 'openssl ok', 'proxy-variables ok'],
    );
    for (const check of document.checks ?? [])
      assert.deepEqual(Object.keys(check), ['id', 'status', 'message', 'hint']);
    const { stdout } = await run(['doctor'], { configFile: freshConfig() });
    assert.match(stdout, /\n5 ok, 0 warnings, 0 failures\nNo endpoint is set.*\n.*authcli init/);
  });

  it('examines the way to an endpoint, and signs no user up', async () => {
    const app = await startSide(['app'], { configFile: freshConfig() });
    const { status, byId, found } = await doctor(['--url', `${app.url}/callback`]);
    const { stdout } = await app.stop();
    assert.equal(status, 0);
    const ids = [...byId.keys()].filter((id) => id.startsWith('url/')).map((id) => id.slice(4));
    const all = ['proxy', 'dns', 'ipv4', 'ipv6', 'tls', 'redirect', 'request', 'clock'];
    assert.deepEqual(ids, all);
    assert.match(found('url/request'), /405 .* it takes POST/);
    assert.doesNotMatch(stdout, /key-exchange|registration/);
  });

  it('examines both endpoints that are set', async () => {
    const configFile = freshConfig();
    const service = await startSide(['service'], { configFile: freshConfig() });
    await run(['config', 'set', 'auth-url', service.url], { configFile });
    const { byId, found } = await doctor([], { configFile });
    await service.stop();
    assert.match(found('auth-url/request'), /OPTIONS \/process\/token/);
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

  it('does not warn of an endpoint that knows POST alone, and exits 1 for a redirect', async () => {
    for (const status of [404, 405, 501]) {
      const { found } = await respond(({ method }, response) => {
        response.writeHead(method === 'POST' ? 200 : status).end();
      });
      assert.match(found('url/request'), /^ok: /);
    }
    const { status, document } = await respond((_, response) => {
      response.writeHead(302, { location: '/login' }).end();
    });
    assert.deepEqual([status, document.error?.code], [1, 'redirect']);
  });

  it('examines whether the references of secrets lead to them', async () => {
    const configFile = freshConfig();
    await run(['config', 'set', 'secret-key', 'env:SHOP_SECRET'], { configFile });
    const missing = await doctor([], { configFile });
    assert.equal(missing.status, 2);
    const reference = 'reference/secret-key';
    assert.match(missing.found(reference), /^failure: .*variable SHOP_SECRET is not set/);
    const env = { SHOP_SECRET: 'a secret of the shop' };
    const there = await doctor([], { configFile, env });
    assert.equal(there.status, 0);
    assert.match(there.found(reference), /^ok: /);

    const file = join(folder, 'large-secret');
    writeFileSync(file, 'x'.repeat(3000), { mode: 0o600 });
    await run(['config', 'set', 'secret-key', `file:${file}`], { configFile });
    const small = await doctor(['--max-input', '1KiB'], { configFile });
    assert.match(small.found(reference), /^failure: .*the limit is 1 KiB/s);
    assert.match((await doctor(['--max-input', '4KiB'], { configFile })).found(reference), /^ok: /);
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

  it('reports a folder in which nothing can be stored, and leads back to nothing', async () => {
    const configFile = '/proc/authcli/config.json';
    const { found, document, status } = await doctor([], { configFile });
    assert.equal(status, 4);
    assert.match(found('config-folder'), /^failure: Can't write in \/proc: /);
    assert.ok(!('next' in (document.error ?? {})));
  });

  it('warns of a file that others can read', async () => {
    const configFile = freshConfig();
    await run(['config', 'set', 'client-id', 'c'], { configFile });
    chmodSync(configFile, 0o644);
    const { status, found } = await doctor([], { configFile });
    assert.equal(status, 0);
    assert.match(found('permissions'), /^warning: .*mode 0644.*chmod 600/);
  });

  for (const [node, expected] of [
    ['20.18.3', /^failure: .*too old for authcli/],
    ['18.20.0', /^failure: .*too old for authcli/],
    ['20.19.0', /^ok: Node 20\.19\.0/],
    ['23.1.0', /^warning: .*without long-term support/],
    ['26.0.0', /^ok: Node 26/],
  ] as const) {
    it(`judges Node ${node}`, async () => {
      const platform = { node, openssl: '3.0.0', os: 'linux' };
      const { status, found } = await doctor([], { context: { platform } });
      assert.match(found('node'), expected);
      assert.equal(status, found('node').startsWith('failure') ? 2 : 0);
    });
  }

  it('names the proxy variables without their values, and what is wrong with them', async () => {
    const set = { http_proxy: 'http://user:pa55word@proxy.test:3128', NO_PROXY: '*' };
    const named = await doctor([], { env: set });
    assert.match(named.found('proxy-variables'), /^ok: Set: http_proxy, NO_PROXY\./);
    assert.doesNotMatch(named.stdout, /pa55word/);
    const env = { https_proxy: 'http://a.test', HTTPS_PROXY: 'http://b.test' };
    const { found } = await doctor([], { env });
    assert.match(found('proxy-variables'), /^warning: .*the lower-case one is used/);
    const ftp = { env: { http_proxy: 'ftp://proxy.test' } };
    const unusable = await doctor(['--url', 'http://127.0.0.1:1/'], ftp);
    assert.equal(unusable.status, 2);
    assert.match(unusable.found('network-options'), /is not an http or https URL/);
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
    assert.deepEqual([before.status, before.document.error?.code], [4, 'config']);
    assert.match(before.found('config-file'), /^failure: .* is damaged.*doctor --fix/s);
    assert.match(before.found('node'), /^ok: /);
    assert.equal(readFileSync(configFile, 'utf8'), '{"version":1,');

    const { status, found } = await doctor(['--fix'], { configFile });
    assert.equal(status, 0);
    const aside = `${configFile}.damaged-2026-01-02T03-04-05-000Z`;
    assert.ok(found('moved').includes(`It was moved to ${aside}.`));
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
