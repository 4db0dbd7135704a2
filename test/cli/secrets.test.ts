import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { textContent } from '../../src/cli/args/input.ts';
import type { Flag } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { listen } from '../support/fault-server.ts';
import { formsOf } from '../support/secret-scan.ts';
import { type RunningSide, startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

/* Outputs are searched for the secrets that went into the run; no code is trusted to hide them. */

const { configFile, freshConfig, save, read, cli, cliJson } = workspace();

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
const loud = ['--trace', '--curl', '--verbose', '--har', 'run.har', '--header', header];
const signup = [
  ...['simulate-signup', '--ptn-cd', 'alice', '--client-id', 'shop'],
  ...['--email', given.email, '--name', given.name, '--phone', given.phone],
  ...['--super-passcode', given.passcode],
];
const signin = ['signin', ...account];
const serve = (answer: RequestListener) => listen(createServer(answer), 'http');

describe('secrets', () => {
  let application: RunningSide;
  let service: RunningSide;
  let secrets: readonly string[] = Object.values(given);
  const assertHidden = (output: string, ...others: readonly string[]) =>
    assert.deepEqual(
      [...secrets, ...others].filter((secret) =>
        formsOf(secret).some((form) => output.includes(form)),
      ),
      [],
    );

  async function outputOf(argv: readonly string[], stdin = ''): Promise<string> {
    save('run.har', '');
    const { stdout, stderr } = await cli(argv, { stdin });
    return [stdout, stderr, read('run.har')].join('\n');
  }

  before(async () => {
    const app = ['app', '--client-id', 'shop', '--verbose'];
    application = await startSide(app, { configFile: freshConfig() });
    service = await startSide(['service', ...account, '--verbose'], { configFile });
    await cli([...signup, '--url', application.url]);
    const { users } = (await cliJson(['users', 'export'])).json;
    secrets = [...secrets, ...users.map(({ key }: { key: string }) => key)];
    assert.equal(secrets.length, 7);
  });
  after(() => Promise.all([application.stop(), service.stop()]));

  for (const mode of [[], ['--json']]) {
    const more = [...loud, ...mode];

    it(`are in no output of a sign-up, a failed one, and a sign-in: ${mode}`, async () => {
      const output = await outputOf([...signup, '--url', application.url, ...more]);
      assert.match(output, /\[redacted\]/);
      assertHidden(output);
      assertHidden(await outputOf([...signup, '--url', 'http://127.0.0.1:1/', ...more]));
      const issued = await cli(['issue-ptn-token', '--ptn-cd', 'alice', ...account]);
      const argv = [...signin, '--ptn-token', '-', '--auth-url', service.url, ...more];
      const signedIn = await outputOf(argv, issued.stdout);
      assert.match(signedIn, /match/);
      assertHidden(signedIn, issued.stdout.trim());
    });

    it(`are in no list of users and settings: ${mode}`, async () => {
      await cli(['config', 'set', 'secret-key', given.secretKey]);
      await cli(['config', 'set', 'headers', header]);
      for (const line of ['users show alice', 'config list', 'config get secret-key'])
        assertHidden(await outputOf([...line.split(' '), ...mode]));
    });

    it(`are hidden where the other side sends them back: ${mode}`, async () => {
      const { url, close } = await serve(async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString();
        response.setHeader('content-type', 'application/json');
        response.setHeader('x-echo', encodeURIComponent(given.secretKey));
        const extra = Buffer.from(body).toString('base64');
        response.end(JSON.stringify({ code: 'E1', message: `got ${body}`, extra }));
      });
      const token = ['--ptn-token', given.passcode, '--auth-url', url.href];
      const output = await outputOf([...signin, ...token, ...more]).finally(close);
      assert.match(output, /got/);
      assertHidden(output);
    });
  }

  it('are values of a type that prints none of them', async () => {
    for (const { load } of commands)
      for (const flag of Object.values<Flag<unknown>>((await load()).flags)) {
        const { secret, references, input, syntax } = flag;
        if (!secret || !references || input !== 'text') continue;
        const value = flag.parse([textContent(given.passcode)]);
        assertHidden(
          inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value),
          syntax,
        );
      }
  });

  it('of the other side blank nothing of the URL that the user typed behind next:', async () => {
    const { url, close } = await serve((request, response) => {
      const result = { acs_token: 'gate-7', expire_dt: '20990101000000', ptn_cd: 'alice' };
      if (!request.url?.endsWith('/token')) return void request.socket.destroy();
      response.end(JSON.stringify({ code: '0000', message: 'for gate-7', result }));
    });
    const typed = `--auth-url ${url.href}gate-7`;
    const argv = [...signin, ...typed.split(' '), '--ptn-token', 'a-token-of-the-tests'];
    const { stderr } = await cli([...argv, '--trace']);
    const { json } = await cliJson(argv).finally(close);
    assert.match(stderr, /"message":"for \[redacted\]"/);
    assert.ok(/^next: .*$/m.exec(stderr)?.[0].includes(typed), stderr);
    assert.ok(json.error.next.includes(typed), json.error.next);
  });
});
