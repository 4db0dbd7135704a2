import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { applicationCodes } from '../../src/emulator/refusals.ts';
import { type RunningSide, startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cliJson } = workspace();
const nobody = 'http://127.0.0.1:1/callback';
const alice = ['--ptn-cd', 'alice'];

let app: RunningSide;
before(async () => {
  app = await startSide(['app', '--client-id', 'shop', '--show-secrets'], {
    configFile: freshConfig(),
  });
});
after(() => app.stop());

async function signUp(
  flags: readonly string[] = [],
  { url = app.url, configFile = freshConfig(), command = 'simulate-signup' } = {},
) {
  const env = { AUTHCLI_CLIENT_ID: 'shop' };
  return {
    ...(await cliJson([command, '--url', url, ...flags], { configFile, env })),
    configFile,
  };
}

async function userIn(configFile: string) {
  const { json } = await cliJson(['users', 'list'], { configFile });
  return json.users.find((user: { ptn_cd: string }) => user.ptn_cd === 'alice');
}

describe('simulate-signup', () => {
  it('signs a user up, and knows it afterwards', async () => {
    const { status, json, configFile } = await signUp(alice);
    assert.deepEqual([status, json.ok], [0, true]);
    const steps = json.steps.map(({ used_type: type, http_status: http, code }: typeof json) =>
      [type, http, code].join(' '),
    );
    assert.deepEqual(steps, ['1 200 0000', '2 200 0000']);
    const { key_fingerprint: fingerprint } = json;
    assert.match(fingerprint, /^sha256:[0-9a-f]{12}$/);
    const user = { ptn_cd: 'alice', state: 'registered', key_fingerprint: fingerprint };
    assert.deepEqual(await userIn(configFile), user);
    assert.equal(statSync(configFile).mode & 0o777, 0o600);
  });

  it('gives a made-up user a code with a prefix, and keeps nothing with --no-save', async () => {
    const { status, json, configFile } = await signUp(['--no-save']);
    assert.deepEqual([status, existsSync(configFile)], [0, false]);
    assert.match(json.ptn_cd, /^authcli-[0-9a-f]{12}$/);
  });

  it('shows key and passcode on request alone', async () => {
    const passcode = 'four words of passcode';
    const { json } = await signUp(['--show-secrets', '--super-passcode', passcode]);
    assert.deepEqual([json.key.length, json.super_passcode], [32, passcode]);
    assert.ok(!('key' in (await signUp()).json));
  });

  it('stops at a code other than "0000", explains it, and stores nobody', async () => {
    const { status, json, configFile } = await signUp([...alice, '--client-id', 'nope']);
    const { message, hint, next } = json.error;
    assert.deepEqual([json.ok, json.steps.length, await userIn(configFile)], [false, 1, undefined]);
    assert.match(message, /^The emulated application refuses with A105: /);
    const { fix } = applicationCodes['foreign-client'];
    assert.deepEqual([status, hint, next], [1, fix, 'authcli explain A105']);
  });

  it('shows what it would send with --dry-run, and sends nothing', async () => {
    const { status, json, configFile } = await signUp([...alice, '--dry-run'], { url: nobody });
    const [exchange, registration] = json.requests;
    const fieldsOf = ({ body }: typeof json) => Object.keys(body).join(' ');
    assert.deepEqual([status, existsSync(configFile)], [0, false]);
    assert.equal(fieldsOf(exchange), 'client_id used_type ptn_cd public_key');
    assert.equal(fieldsOf(registration), 'client_id used_type ptn_cd partner_sp ubifill');
    assert.equal(exchange.headers['Content-type'], 'application/json;charset=utf-8');
  });

  it('keeps one key pair for the profile, and uses one of another size once', async () => {
    const configFile = freshConfig();
    const keyOf = async (...flags: readonly string[]): Promise<string> =>
      (await signUp(['--dry-run', ...flags], { configFile })).json.requests[0].body.public_key;
    const bitsOf = async (key: string) => (await cliJson(['key', 'inspect', key])).json.bits;
    await signUp([], { configFile });
    const first = await keyOf();
    assert.equal(await keyOf(), first);
    const larger = ['--key-bits', '3072'];
    assert.equal((await signUp(larger, { configFile })).status, 0);
    assert.deepEqual(
      [await bitsOf(await keyOf()), await bitsOf(await keyOf(...larger))],
      [2048, 3072],
    );
  });

  it('sends the user information that is given, or none', async () => {
    const info = { email: 'a@example.com', name: '김하은', phone: '+82-10-1' };
    const flags = Object.entries(info).flatMap(([name, value]) => [`--${name}`, value]);
    const { configFile } = await signUp([...alice, ...flags]);
    await signUp(['--ptn-cd', 'bob', '--no-user-info'], { configFile });
    const journal = await (await fetch(new URL('/_authcli/journal', app.url))).text();
    const { entries } = JSON.parse(journal);
    const [first, , second] = entries.slice(-3).map(({ request }: typeof entries) => request.json);
    assert.ok(!('ubifill' in second));
    const decrypt = ['decrypt', first.ubifill, ...alice, '--as', 'ubifill'];
    assert.deepEqual((await cliJson(decrypt, { configFile })).json.user_info, info);
  });
});

describe('simulate-registration', () => {
  const command = 'simulate-registration';

  it('completes a sign-up with the key that is known', async () => {
    const { configFile } = await signUp(alice, { command: 'simulate-key-exchange' });
    assert.equal((await userIn(configFile)).state, 'known');
    assert.equal((await signUp(alice, { command, configFile })).status, 0);
    assert.equal((await userIn(configFile)).state, 'registered');
  });

  it('delivers the stored passcode again, unless another is given', async () => {
    const shown = [...alice, '--show-secrets'];
    const { json, configFile } = await signUp(shown);
    const register = async (...flags: readonly string[]) =>
      (await signUp([...shown, ...flags], { command, configFile })).json.super_passcode;
    assert.equal(await register(), json.super_passcode);
    assert.equal(await register('--super-passcode', 'another one'), 'another one');
    assert.equal(await register(), 'another one');
  });

  it('names a user whose key is not known', async () => {
    const { status, json } = await signUp(alice, { command, url: nobody });
    const { message, next } = json.error;
    assert.match(message, /The user "alice" is not stored in this profile/);
    const line = `authcli simulate-signup --ptn-cd alice --url ${nobody} --client-id shop`;
    assert.deepEqual([status, next], [2, line]);
  });
});
