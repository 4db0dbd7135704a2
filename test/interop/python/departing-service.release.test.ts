import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { violations } from '../../support/json-schema.ts';
import { startRelayCommand } from '../../support/relay-command.ts';
import { run } from '../../support/run.ts';

/*
 * A service in Python that departs from the interface in its callbacks as well, recorded by the relay once; then each
 * application meets the service itself, and the emulator in its place. What the application saw is the same.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-departing-service-'));
const recording = join(folder, 'session.jsonl');
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
});

const schema = JSON.parse(readFileSync('schemas/learn-1.json', 'utf8'));
const client = ['shop', 'the-secret-of-the-shop'] as const;
const user = (ptnCd: string) => ({
  ptn_cd: ptnCd,
  super_passcode: `Passcode of ${ptnCd}`,
  email: `${ptnCd}@mail.example`,
  name: `${ptnCd} 김`,
  phone: '+82-10-1234-5678',
});

async function start(script: string, ...argv: string[]): Promise<string> {
  const path = fileURLToPath(new URL(`services/${script}`, import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn('python3', [path, ...client, ...argv], { stdio: [...stdio] });
  children.push(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return line.toString().trim();
}

async function post(url: string, fields: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json;charset=utf-8' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) });
  assert.equal(response.status, 200, await response.text());
}

let service: string;

/** A sign-up and sign-ins at the service itself, and what the application saw of them. */
async function there(mode: string, ptnCd: string, [to, authUrl] = ['', service]) {
  const application = await start('adapted_application.py', mode);
  const callback_url = `${to || application}/callback`;
  await post(`${service}/sign-up`, { ...user(ptnCd), callback_url });
  await signIns(application, authUrl, `token-of-${ptnCd}`);
  return seenBy(application);
}

/** Of a user whose sign-up went through. */
async function signIns(application: string, authUrl: string, ptnToken: string): Promise<void> {
  if ((await seenBy(application)).at(-1)?.[1] !== '0000') return;
  for (const ptn_token of [ptnToken, 'token-of-nobody'])
    await post(`${application}/sign-in`, { auth_url: authUrl, ptn_token });
}

const seenBy = async (application: string) =>
  (await (await fetch(`${application}/log`)).json()) as readonly unknown[][];

/** The same with the emulator in the place of the service. */
async function here(mode: string, ptnCd: string) {
  const application = await start('adapted_application.py', mode);
  const environment = { configFile: join(folder, `${ptnCd}.json`), cwd: folder };
  const issue = ['issue-ptn-token', '--ptn-cd', ptnCd, '--client-id', client[0], '--json'];
  const context = { now: Date.now };
  const issued = await run([...issue, '--secret-key', client[1]], { ...environment, context });
  const to = ['--callback-url', `${application}/callback`];
  const argv = ['emulate', 'service', '--from', recording, '--no-latency', ...to, '--', 'visitor'];
  let seen: readonly unknown[][] | undefined;
  const runChild = async ({ env }: { env: Readonly<Record<string, string>> }) => {
    const url = env.AUTHCLI_AUTH_URL ?? '';
    await post(`${url}/_authcli/signup`, user(ptnCd));
    await signIns(application, url, JSON.parse(issued.stdout).ptn_token);
    seen = await seenBy(application);
    return 0;
  };
  const { stderr } = await run(argv, { ...environment, context: { ...context, runChild } });
  assert.ok(seen, stderr);
  return seen;
}

before(async () => {
  service = await start('departing_service.py');
  const application = await start('adapted_application.py', 'adapted');
  const argv = ['--to', `${application}/callback`, '--auth-url', service, '--decrypt'];
  const relay = await startRelayCommand([...argv, '--record', recording, '--show-secrets'], {
    configFile: join(folder, 'relay.json'),
    context: { now: Date.now },
  });
  for (const ptnCd of ['ada', 'edsger', 'barbara']) {
    await post(`${service}/sign-up`, { ...user(ptnCd), callback_url: relay.callbackUrl });
    await signIns(application, relay.authUrl, `token-of-${ptnCd}`);
  }
  await relay.exchanges(18);
  await relay.stop();
});

describe('emulate service --from a service that departs from the interface', () => {
  it('sends and responds as the service: the adapted application sees the same', async () => {
    const [seenThere, seenHere] = [await there('adapted', 'grace'), await here('adapted', 'grace')];
    assert.deepEqual(seenHere, seenThere);
    const info =
      'hp=%2B82-10-1234-5678&member_no=grace&nm=grace+%EA%B9%80&eml=grace%40mail.example';
    assert.deepEqual(seenHere.find(([what]) => what === 'user')?.[2], info);
    assert.deepEqual(seenHere.find(([what]) => what === 'public_key')?.slice(1, 3), [3072, 65537]);
    assert.deepEqual(seenHere.find(([what]) => what === 'signed in')?.[1], true);
    assert.deepEqual(seenHere.find(([what]) => what === 'token')?.slice(1), ['grace', 'B', 10]);
  });

  // what the last line that the application writes before the sign-ins says, or the verdict of them
  const failing: readonly (readonly [mode: string, expected: RegExp])[] = [
    ['base64-key', /"answered","9500","Error"|"answered","9500","ValueError"/],
    ['string', /"answered","9400","unknown used_type"/],
    ['charset', /"answered","9415","no charset"/],
    ['ecb', /"answered","9500","(?:ValueError|UnicodeDecodeError)"/],
    ['base64', /"answered","9500","(?:Error|ValueError|UnicodeDecodeError)"/],
    ['json', /"answered","9500","JSONDecodeError"/],
    ['email', /"answered","9500","KeyError"/],
    ['utc', /"token","[a-z0-9-]+","B",550/],
  ];
  for (const [mode, expected] of failing) {
    it(`fails an application that fails there, alike: ${mode}`, async () => {
      const ptnCd = `user-${mode}`;
      const [seenThere, seenHere] = [await there(mode, ptnCd), await here(mode, ptnCd)];
      assert.match(JSON.stringify(seenThere), expected);
      assert.deepEqual(seenHere, seenThere);
    });
  }
});

describe('the departures of a service and an application in Python', () => {
  it('are side by side in what relay sums up and learn prints', async () => {
    const application = await start('adapted_application.py', 'loose');
    const environment = { configFile: join(folder, 'loose.json'), cwd: folder };
    const file = join(folder, 'loose.jsonl');
    const to = ['--to', `${application}/callback`, '--auth-url', service, '--record', file];
    const relay = await startRelayCommand([...to, '--show-secrets'], {
      ...environment,
      context: { now: Date.now },
    });
    await post(`${service}/sign-up`, { ...user('grace'), callback_url: relay.callbackUrl });
    await signIns(application, relay.authUrl, 'token-of-grace');
    await relay.exchanges(6);
    const { summary } = await relay.stop();
    const { stdout } = await run(['learn', file, '--json'], environment);
    const learned = JSON.parse(stdout);
    assert.deepEqual(violations(learned, schema), []);
    type Listed = readonly { readonly id: string; readonly message: string }[];
    for (const departures of [learned.departures, summary.departures]) {
      const of = (side: 'service' | 'application') =>
        (departures[side] as Listed).map(({ id, message }) => `${id}: ${message}`).sort();
      const [service, app] = [of('service'), of('application')];
      assert.equal(service.length, 3, service.join('\n'));
      assert.match(
        service[0] ?? '',
        /^callback\/content-type: .*got Content-type: application\/json/,
      );
      assert.match(service[1] ?? '', /^callback\/public-key: .*it is pem/);
      assert.match(
        service[2] ?? '',
        /^callback\/request-shape: The service sends used_type as a number/,
      );
      assert.equal(app.length, 2, app.join('\n'));
      assert.match(app[0] ?? '', /^key-exchange\/wraps-key: .*line breaks/);
      assert.match(app[1] ?? '', /^signin\/content-type: .*got Content-type: application\/json/);
    }
    const text = await run(['learn', file], environment);
    assert.match(text.stdout, /\n {2}the service +the application\n/);
    assert.match(text.stdout, /The service sends used_type as a number/);
  });
});
