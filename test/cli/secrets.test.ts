import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { run } from '../support/run.ts';
import { formsOf } from '../support/secret-scan.ts';
import { type RunningSide, startSide } from '../support/side.ts';

/* Outputs are searched for the secrets that went into the run; no code is trusted to hide them. */

const folder = mkdtempSync(join(tmpdir(), 'authcli-secrets-'));
const configFile = join(folder, 'config.json');
const har = join(folder, 'run.har');

const given = {
  secretKey: 'Secret/Key+of=the&tests',
  passcode: 'pass "code" with/quotes',
  email: 'ha.eun+test@example.com',
  name: '남궁별 Öztürk',
  phone: '+82-10-8925-7060',
  header: 'Bearer abc.def.ghi-0123456789',
} as const;
const account = ['--client-id', 'shop', '--secret-key', given.secretKey];
const header = `Authorization: ${given.header}`;
const loud = ['--trace', '--curl', '--verbose', '--har', har, '--header', header];

function search(output: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => formsOf(secret).some((form) => output.includes(form)));
}

async function outputOf(argv: readonly string[], stdin = ''): Promise<string> {
  writeFileSync(har, '');
  const { stdout, stderr } = await run(argv, { configFile, stdin });
  return [stdout, stderr, readFileSync(har, 'utf8')].join('\n');
}

const signup = (url: string): string[] => [
  ...['simulate-signup', '--url', url, '--ptn-cd', 'alice', '--client-id', 'shop'],
  ...['--email', given.email, '--name', given.name, '--phone', given.phone],
  ...['--super-passcode', given.passcode],
];
const signin = (url: string, token = 'a-token-of-the-tests'): string[] => [
  ...['signin', '--ptn-token', token, '--auth-url', url, ...account],
];
const serve = (answer: RequestListener) => listen(createServer(answer), 'http');

describe('secrets', () => {
  let application: RunningSide;
  let service: RunningSide;
  let secrets: readonly string[] = Object.values(given);

  before(async () => {
    const app = ['app', '--client-id', 'shop', '--verbose'];
    application = await startSide(app, { configFile: join(folder, 'app.json') });
    service = await startSide(['service', ...account, '--verbose'], { configFile });
    await outputOf(signup(application.url));
    const { stdout } = await run(['users', 'export', '--json'], { configFile });
    const { users } = JSON.parse(stdout) as { users: { key: string }[] };
    secrets = [...secrets, ...users.map(({ key }) => key)];
    assert.equal(secrets.length, 7);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const json of [[], ['--json']]) {
    const mode = json.length > 0 ? 'JSON' : 'text';

    it(`are in no output of a sign-up, nor of a failed one (${mode})`, async () => {
      const output = await outputOf([...signup(application.url), ...loud, ...json]);
      assert.match(output, /\[redacted\]/);
      const failed = await outputOf([...signup('http://127.0.0.1:1/'), ...loud, ...json]);
      assert.deepEqual(search(output + failed, secrets), []);
    });

    it(`are in no output of a sign-in (${mode})`, async () => {
      const argv = ['issue-ptn-token', '--ptn-cd', 'alice', ...account];
      const issued = await run(argv, { configFile });
      const line = [...signin(service.url, '-'), ...loud, ...json];
      const output = await outputOf(line, issued.stdout);
      assert.match(output, /match/);
      assert.deepEqual(search(output, [...secrets, issued.stdout.trim()]), []);
    });

    it(`are in no list of users and settings (${mode})`, async () => {
      await outputOf(['config', 'set', 'secret-key', given.secretKey]);
      await outputOf(['config', 'set', 'headers', header]);
      for (const line of [
        ...['users list', 'users show alice', 'config list --origin'],
        ...['config get secret-key', 'config get headers'],
      ]) {
        assert.deepEqual(search(await outputOf([...line.split(' '), ...json]), secrets), [], line);
      }
    });

    it(`are hidden where the other side sends them back (${mode})`, async () => {
      const { url, close } = await serve(async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString();
        response.setHeader('content-type', 'application/json');
        response.setHeader('x-echo', encodeURIComponent(given.secretKey));
        const extra = Buffer.from(body).toString('base64');
        response.end(JSON.stringify({ code: 'E1', message: `got ${body}`, extra }));
      });
      const output = await outputOf([...signin(url.href), ...loud, ...json]);
      await close();
      assert.match(output, /got/);
      assert.deepEqual(search(output, [...secrets, 'a-token-of-the-tests']), []);
    });
  }

  it('of the other side blank nothing of the URL that the user typed behind next:', async () => {
    const other = await serve((request, response) => {
      const result = { acs_token: 'gate-7', expire_dt: '20990101000000', ptn_cd: 'alice' };
      response.statusCode = request.url?.endsWith('/token') ? 200 : 503;
      response.end(JSON.stringify({ code: '0000', message: 'for gate-7', result }));
    });
    const argv = signin(`${other.url.href}gate-7`);
    const { stderr } = await run([...argv, '--trace'], { configFile });
    const { stdout } = await run([...argv, '--json'], { configFile });
    await other.close();
    assert.match(stderr, /"message":"for \[redacted\]"/);
    const typed = `--auth-url ${other.url.href}gate-7 `;
    assert.ok(/^next: .*$/m.exec(stderr)?.[0].includes(typed), stderr);
    assert.ok(JSON.parse(stdout).error.next.includes(typed), stdout);
  });

  it('are in no journal and no event of the emulators', async () => {
    const journalOf = async (url: string) => (await fetch(`${url}/_authcli/journal`)).text();
    const journals = [await journalOf(application.url), await journalOf(service.url)];
    const events = [(await application.stop()).stdout, (await service.stop()).stdout];
    for (const output of [...journals, ...events]) {
      assert.match(output, /\[redacted\]/);
      assert.deepEqual(search(output, secrets), []);
    }
  });

  it('are shown when they are asked for', async () => {
    const output = await outputOf(['users', 'show', 'alice', '--show-secrets', '--json']);
    assert.ok(output.includes(JSON.stringify(given.passcode)));
  });
});
