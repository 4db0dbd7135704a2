import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { application } from '../conformance/support.ts';
import { withEndpoint, workspace } from './workspace.ts';

const { freshConfig, cli } = workspace();

async function signUp(faults: readonly string[], more: readonly string[], poweredBy = 'none') {
  const app = application(...faults);
  const handle = async (request: Parameters<typeof app>[0]) => {
    const response = await app(request);
    return { ...response, headers: { ...response.headers, 'x-powered-by': poweredBy } };
  };
  // A dumb terminal has no progress lines, which a slow machine would show.
  const env = { TERM: 'dumb', NO_COLOR: '1', AUTHCLI_CLIENT_ID: 'authcli-client' };
  return withEndpoint(handle, ({ url }) =>
    cli(['simulate-signup', '--url', url.href, ...more], { env, isTerminal: true, columns: 80 }),
  );
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

  it('leaves out of the document of verify what passed', async () => {
    const { stdout } = await withEndpoint(application('oaep-sha1'), ({ url }) =>
      cli(['verify', '--url', url.href, '--quiet', '--json']),
    );
    const { error, checks, summary } = JSON.parse(stdout);
    assert.deepEqual([checks.length, summary.failed], [1, 1]);
    assert.ok(summary.passed > 30, stdout);
    assert.match(Object.values(error.calls).join(), /PKCS1_PADDING/);
    assert.ok(stdout.length < 4000, `${stdout.length} bytes`);
  });

  it('prints nothing of a command that did what it is for', async () => {
    const quiet = { configFile: freshConfig() };
    for (const line of [
      ...['config set url http://localhost:8080/callback', 'config unset url'],
      ...['config profile create quiet', 'config profile use default'],
      ...['config profile remove quiet', 'init --client-id my-app', 'doctor'],
    ]) {
      const result = await cli([...line.split(' '), '--quiet'], quiet);
      assert.deepEqual(result, { status: 0, stdout: '', stderr: '' }, line);
    }
  });
});

describe('the language of a fix', () => {
  const callOf = ({ stderr }: { readonly stderr: string }): string =>
    /^ {7}(Java|Node|Python|PHP|Go)\b[^\n]*: /m.exec(stderr)?.[1] ?? '';

  it('is that of --stack, else of the response, else of the profile', async () => {
    assert.equal(callOf(await signUp(['oaep-sha1'], [], 'PHP/8.3.1')), 'PHP');
    await cli(['config', 'set', 'stack', 'python']);
    assert.equal(callOf(await signUp(['oaep-sha1'], [], 'PHP/8.3.1')), 'PHP');
    assert.equal(callOf(await signUp(['oaep-sha1'], [])), 'Python');
    assert.equal(callOf(await signUp(['oaep-sha1'], ['--stack', 'go'])), 'Go');
    await cli(['config', 'unset', 'stack']);
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
