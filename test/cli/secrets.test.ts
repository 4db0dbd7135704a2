import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { formsOf } from '../support/secret-scan.ts';
import { type RunningSide, startSide } from '../support/side.ts';

/*
 * Outputs are searched for the secrets that went into the run; no code is trusted to hide them.
 */

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
const person = [
  '--email',
  given.email,
  '--name',
  given.name,
  '--phone',
  given.phone,
  '--super-passcode',
  given.passcode,
];
const loud = [
  '--trace',
  '--curl',
  '--verbose',
  '--har',
  har,
  '--header',
  `Authorization: ${given.header}`,
];

function search(output: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => formsOf(secret).some((form) => output.includes(form)));
}

async function outputOf(argv: readonly string[], stdin = ''): Promise<string> {
  writeFileSync(har, '');
  const { stdout, stderr } = await run(argv, { configFile, stdin });
  return [stdout, stderr, readFileSync(har, 'utf8')].join('\n');
}

describe('secrets', () => {
  let application: RunningSide;
  let service: RunningSide;
  let secrets: readonly string[] = Object.values(given);

  before(async () => {
    application = await startSide(['app', '--client-id', 'shop', '--verbose'], {
      configFile: join(folder, 'app.json'),
    });
    service = await startSide(['service', ...account, '--verbose'], { configFile });
    await outputOf([
      'simulate-signup',
      '--url',
      application.url,
      '--ptn-cd',
      'alice',
      '--client-id',
      'shop',
      ...person,
    ]);
    const { stdout } = await run(['users', 'export', '--json'], { configFile });
    const { users } = JSON.parse(stdout) as { users: { key: string }[] };
    secrets = [...secrets, ...users.map(({ key }) => key)];
    assert.equal(secrets.length, 7);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const signup = (url: string): string[] => [
    'simulate-signup',
    '--url',
    url,
    '--ptn-cd',
    'alice',
    '--client-id',
    'shop',
    ...person,
  ];
  for (const json of [[], ['--json']]) {
    const mode = json.length > 0 ? 'JSON' : 'text';

    it(`are in no output of a sign-up (${mode})`, async () => {
      const output = await outputOf([...signup(application.url), ...loud, ...json]);
      assert.match(output, /\[redacted\]/);
      assert.deepEqual(search(output, secrets), []);
    });

    it(`are in no output of a failed sign-up (${mode})`, async () => {
      const output = await outputOf([...signup('http://127.0.0.1:1/'), ...loud, ...json]);
      assert.deepEqual(search(output, secrets), []);
    });

    it(`are in no output of a sign-in (${mode})`, async () => {
      const issued = await run(['issue-ptn-token', '--ptn-cd', 'alice', ...account], {
        configFile,
      });
      const argv = [
        'signin',
        '--ptn-token',
        '-',
        '--auth-url',
        service.url,
        ...account,
        ...loud,
        ...json,
      ];
      const output = await outputOf(argv, issued.stdout);
      assert.match(output, /match/);
      assert.deepEqual(search(output, [...secrets, issued.stdout.trim()]), []);
    });

    it(`are in no list of users and settings (${mode})`, async () => {
      await outputOf(['config', 'set', 'secret-key', given.secretKey]);
      await outputOf(['config', 'set', 'headers', `Authorization: ${given.header}`]);
      for (const argv of [
        ['users', 'list'],
        ['users', 'show', 'alice'],
        ['config', 'list', '--origin'],
        ['config', 'get', 'secret-key'],
        ['config', 'get', 'headers'],
      ]) {
        assert.deepEqual(search(await outputOf([...argv, ...json]), secrets), [], argv.join(' '));
      }
    });

    it(`are hidden where the other side sends them back (${mode})`, async () => {
      const echo = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        response.setHeader('content-type', 'application/json');
        response.setHeader('x-echo', encodeURIComponent(given.secretKey));
        response.end(
          JSON.stringify({
            code: 'E1',
            message: `got ${body}`,
            extra: Buffer.from(body).toString('base64'),
          }),
        );
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => echo.once('listening', resolve));
      const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
      const argv = [
        'signin',
        '--ptn-token',
        'a-token-of-the-tests',
        '--auth-url',
        url,
        ...account,
        ...loud,
        ...json,
      ];
      const output = await outputOf(argv);
      echo.close();
      assert.match(output, /got/);
      assert.deepEqual(search(output, [...secrets, 'a-token-of-the-tests']), []);
    });
  }

  it('of the other side blank nothing of the URL that the user typed behind next:', async (context) => {
    const other = createServer((request, response) => {
      const result = { acs_token: 'gate-7', expire_dt: '20990101000000', ptn_cd: 'alice' };
      response.statusCode = request.url?.endsWith('/token') ? 200 : 503;
      response.end(JSON.stringify({ code: '0000', message: 'for gate-7', result }));
    }).listen(0, '127.0.0.1');
    context.after(() => other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/gate-7`;
    const argv = ['signin', '--ptn-token', 'a-token-of-the-tests', '--auth-url', url, ...account];
    const { stderr } = await run([...argv, '--trace'], { configFile });
    const { stdout } = await run([...argv, '--json'], { configFile });
    assert.match(stderr, /"message":"for \[redacted\]"/);
    const typed = `--auth-url ${url} `;
    assert.ok(/^next: .*$/m.exec(stderr)?.[0].includes(typed), stderr);
    const { error } = JSON.parse(stdout) as { error: { next: string } };
    assert.ok(error.next.includes(typed), error.next);
  });

  it('are in no journal and no event of the emulators', async () => {
    const journals = await Promise.all(
      [application.url, service.url].map(async (url) =>
        (await fetch(`${url}/_authcli/journal`)).text(),
      ),
    );
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
