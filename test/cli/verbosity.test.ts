import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verbosity-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

async function signUp(faults: readonly string[], more: readonly string[], poweredBy = 'none') {
  const app = application(...faults);
  const endpoint = await serve(async (request) => {
    const response = await app(request);
    return { ...response, headers: { ...response.headers, 'x-powered-by': poweredBy } };
  });
  const argv = ['simulate-signup', '--url', endpoint.url.href, ...more];
  // A dumb terminal has no progress lines, which a slow machine would show.
  const env = { TERM: 'dumb', NO_COLOR: '1', AUTHCLI_CLIENT_ID: 'authcli-client' };
  const terminal = { isTerminal: true, columns: 80 };
  return run(argv, { configFile, env, ...terminal }).finally(() => endpoint.close());
}

it('--verbose prints the origin of values, each request as a curl command, and fixes in every language', async () => {
  const { stderr } = await signUp([], ['--verbose']);
  assert.match(stderr, /^note: --url http:\S+ \(--url\)$/m);
  assert.match(stderr, /^note: --client-id authcli-client \(AUTHCLI_CLIENT_ID\)$/m);
  assert.match(stderr, /^note: --timeout 10s \(default\)$/m);
  const curl = stderr.match(/^curl [\s\S]*?[^\\]$/gm) ?? [];
  assert.equal(curl.length, 2);
  assert.match(curl[0] ?? '', /^curl --request POST.* \\\n {2}/);
  assert.doesNotMatch((await signUp([], [])).stderr, /curl/);
  const { stderr: failed } = await signUp(['oaep-sha1'], ['--verbose']);
  for (const name of ['Java', 'Node', 'Python', 'PHP', 'Go', '.NET', 'Ruby'])
    assert.ok(failed.includes(`${name}: `) || failed.includes(`${name} and `), name);
});

describe('--quiet', () => {
  it('leaves out the next command', async () => {
    const { stderr } = await signUp(['oaep-sha1'], ['--quiet']);
    assert.match(stderr, /^cause: [\s\S]*^fix: /m);
    assert.doesNotMatch(stderr, /^next:/m);
  });

  it('prints nothing of a sign-up that succeeds, and only what failed of one that fails', async () => {
    assert.equal((await signUp([], ['--quiet'])).stdout, '');
    const { stdout } = await signUp(['registration-code-1'], ['--quiet']);
    assert.match(stdout, /^ {2}✗ registration [^\n]*\n$/);
  });

  it('prints nothing of a command that did what it is for', async () => {
    const quiet = { configFile: join(folder, 'quiet', 'config.json') };
    for (const line of [
      ...['config set url http://localhost:8080/callback', 'config unset url'],
      ...['config profile create quiet', 'config profile use default'],
      ...['config profile remove quiet', 'init --client-id my-app', 'doctor'],
    ]) {
      const result = await run([...line.split(' '), '--quiet'], quiet);
      assert.deepEqual(result, { status: 0, stdout: '', stderr: '' }, line);
    }
  });
});

describe('the language of a fix', () => {
  const callOf = ({ stderr }: { readonly stderr: string }): string =>
    /^ {7}(Java|Node|Python|PHP|Go)\b[^\n]*: /m.exec(stderr)?.[1] ?? '';

  it('is that of --stack, else of the profile, else of the response', async () => {
    assert.equal(callOf(await signUp(['oaep-sha1'], [], 'PHP/8.3.1')), 'PHP');
    await run(['config', 'set', 'stack', 'python'], { configFile });
    assert.equal(callOf(await signUp(['oaep-sha1'], [], 'PHP/8.3.1')), 'Python');
    assert.equal(callOf(await signUp(['oaep-sha1'], ['--stack', 'go'])), 'Go');
    await run(['config', 'unset', 'stack'], { configFile });
    const { status, stderr } = await signUp([], ['--stack', 'cobol']);
    assert.equal(status, 2);
    assert.match(stderr, /--stack: "cobol" is not one of java, kotlin/);
  });

  it('is that of a warning too', async () => {
    const { stderr } = await signUp(['key-low-entropy'], ['--stack', 'go']);
    assert.match(stderr, /^ {4}Go: /m);
    assert.doesNotMatch(stderr, /Python|PHP/);
  });
});
