import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { application, serve } from '../conformance/support.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-artillery-'));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };
after(() => rmSync(folder, { recursive: true, force: true }));

interface Processor {
  signUp(user: object, events: { emit(...counted: unknown[]): void }): Promise<void>;
}

describe('an exported load', () => {
  it('signs users up as Artillery calls it, and counts what came of it', async () => {
    const endpoint = await serve(application());
    const out = join(folder, 'right');
    const argv = ['load', 'export', '--out', out, '--url', endpoint.url.href];
    const exported = await run([...argv, '--header', 'X-Key: abc'], environment);
    assert.equal(exported.status, 0, exported.stderr);
    const settings = ['key-pairs.json', 'processor.mjs', 'settings.json'];
    assert.deepEqual(readdirSync(out).sort(), ['README.md', 'artillery.yml', ...settings]);
    assert.equal(statSync(join(out, 'key-pairs.json')).mode & 0o777, 0o600);
    const script = readFileSync(join(out, 'artillery.yml'), 'utf8');
    assert.match(script, /duration: 60\n\s+arrivalRate: 50/);
    const { signUp } = (await import(pathToFileURL(join(out, 'processor.mjs')).href)) as Processor;
    const counted: unknown[][] = [];
    const events = { emit: (...what: unknown[]) => counted.push(what) };
    await Promise.all([1, 2, 3].map(() => signUp({ vars: { target: endpoint.url.href } }, events)));
    await endpoint.close();
    assert.equal(endpoint.requests.length, 6);
    assert.equal(endpoint.requests[0]?.headers['x-key'], 'abc');
    const names = counted.map(([kind, name]) => `${kind} ${name}`).sort();
    const histograms = ['key_exchange_ms', 'latency_ms', 'registration_ms'];
    const once = [
      'counter authcli.succeeded',
      ...histograms.map((name) => `histogram authcli.${name}`),
    ];
    assert.deepEqual(
      names,
      once.flatMap((name) => [name, name, name]),
    );
  });

  it('throws the diagnosis of a sign-up that fails', async () => {
    const endpoint = await serve(application('oaep-sha1'));
    const out = join(folder, 'wrong');
    await run(['load', 'export', '--out', out, '--url', endpoint.url.href], environment);
    const { signUp } = (await import(pathToFileURL(join(out, 'processor.mjs')).href)) as Processor;
    const counted: unknown[] = [];
    const failing = signUp({}, { emit: (_kind, name) => counted.push(name) });
    await assert.rejects(failing, { code: 'oaep-sha1', message: /OAEP \(SHA-1/ });
    await endpoint.close();
    assert.deepEqual(counted, ['authcli.failed', 'authcli.error.oaep-sha1']);
  });

  it('overwrites nothing', async () => {
    const argv = ['load', 'export', '--out', 'twice', '--url', 'http://localhost:8080/'];
    assert.equal((await run(argv, environment)).status, 0);
    const again = await run(argv, environment);
    assert.equal(again.status, 2);
    assert.match(again.stderr, /already exists/);
  });
});
