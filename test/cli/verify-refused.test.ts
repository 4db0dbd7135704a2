import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

/*
 * Runs of verify in which no check runs: no endpoint, or a mistake on the command line.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-refused-'));
const { path, read, verify, withEndpoint } = verifierIn(folder);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
const nobody = 'http://127.0.0.1:1/callback';
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify of what is not there', () => {
  it('exits 3, with reports that say so', async () => {
    const argv = ['--report', 'junit=nobody.xml', '--json'];
    const { status, stdout } = await verify(nobody, argv);
    const document = JSON.parse(stdout);
    assert.equal(status, 3);
    assert.equal(document.error.code, 'refused');
    assert.deepEqual(violations(document, schema), []);
    assert.match(read('nobody.xml'), /errors="1"[\s\S]*<error message="[^"]+" type="refused">/);
  });

  it('is three lines', async () => {
    const { status, stdout, stderr } = await verify(nobody, []);
    assert.equal(status, 3);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^cause: No connection to 127\.0\.0\.1:1: .*\nfix: .*\nnext: {2}authcli verify --wait 60s --url http:\/\/127\.0\.0\.1:1\/callback\n$/,
    );
  });

  it('waits for it', async () => {
    const endpoint = await serve(application());
    const { port } = endpoint.url;
    await endpoint.close();
    const waiting = verify(endpoint.url, [
      '--wait',
      '20s',
      '--check',
      'key-exchange/answers-success',
    ]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { startServer } = await import('../../src/emulator/server.ts');
    const server = await startServer({
      host: '127.0.0.1',
      port: Number(port),
      handle: application(),
    });
    assert.equal((await waiting).status, 0);
    await server.close();
  });

  it('waits no longer than it should', { timeout: 60_000 }, async () => {
    assert.equal((await verify(nobody, ['--wait', '300ms'])).status, 3);
  });
});

describe('verify refuses, before anything is sent,', () => {
  before(() => {
    writeFileSync(path('empty.txt'), '\n');
    writeFileSync(path('bad.json'), '{}');
  });

  for (const [argv, message] of [
    [
      ['--check', 'wraps-kye'],
      /No check matches "wraps-kye"\.[\s\S]*Did you mean "key-exchange\/wraps-key"\?/,
    ],
    [['--skip', 'nothing-such'], /No check matches "nothing-such"\./],
    [['--check', 'protocol/tls', '--skip', 'protocol'], /leaves no check to run/],
    [['--report', 'jnuit=x.xml'], /--report: "jnuit" is not one of [\s\S]*Did you mean "junit"\?/],
    [['--report', 'x.xml'], /"x\.xml" is not KIND=FILE\./],
    [['--report', 'json=missing/x.json'], /--report: missing\/x\.json can't be written \(ENOENT\)/],
    [['--report', 'json=x', '--report', 'html=x'], /--report: x is given twice/],
    [['--strict=yes'], /--strict takes no value\./],
    [['--config', ''], /--config: /],
    [['--format', 'gitlab'], /--format: "gitlab" is not one of human, github/],
    [['--users', '1'], /--users: "1" is not a whole number from 2 to 200/],
    [['--user-codes', 'empty.txt'], /--user-codes: The file contains no user codes/],
    [['--user-codes', 'absent.txt'], /--user-codes: the file "absent\.txt" doesn't exist\./],
    [['--expect', 'absent.json'], /--expect: the file "absent\.json" doesn't exist\./],
    [['--expect', 'bad.json'], /--expect: The file of known failures has no "schema"/],
    [['--update-expect'], /--update-expect needs --expect/],
    [['--wait', 'soon'], /--wait: "soon" is not a duration/],
  ] as const) {
    it(argv.join(' '), async () => {
      await withEndpoint(application(), async ({ url, requests }) => {
        const { status, stderr, stdout } = await verify(url, argv);
        assert.equal(status, 2);
        assert.match(stderr, message);
        assert.equal(stdout, '');
        assert.equal(requests.length, 0);
        assert.ok(!existsSync(path('x')), 'no empty report is left behind');
      });
    });
  }

  it('--json=true, as one JSON document', async () => {
    const { status, stdout } = await verify('http://127.0.0.1:1/callback', ['--json=true']);
    assert.equal(status, 2);
    assert.equal(JSON.parse(stdout).error.message, '--json takes no value.');
  });

  it('a run without a URL', async () => {
    const { status, stderr } = await run(['verify'], { configFile: path('config.json') });
    assert.equal(status, 2);
    assert.match(stderr, /verify needs --url[\s\S]*AUTHCLI_URL/);
  });
});
