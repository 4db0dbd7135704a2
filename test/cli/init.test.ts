import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { scriptedUser } from '../support/prompts.ts';
import type { RunEnvironment } from '../support/run.ts';
import { type RunningSide, startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { path, read, save, freshConfig, cli } = workspace();
const gcm = 'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12';
const usual = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
const nobody = 'http://127.0.0.1:9/callback';
let app: RunningSide;
before(async () => {
  app = await startSide(['app', '--cipher', gcm], { configFile: freshConfig() });
});
after(() => app.stop());

/** A config file that doesn't exist yet, and init with it. */
function newProfile() {
  const configFile = freshConfig();
  const init = (line: string, environment: Partial<RunEnvironment> = {}) =>
    cli(['init', ...line.split(' ').filter(Boolean)], { configFile, ...environment });
  const settings = (profile = 'default') =>
    JSON.parse(readFileSync(configFile, 'utf8')).profiles[profile] as Record<string, string>;
  /** Answers the questions. */
  const answer = async (answers: Parameters<typeof scriptedUser>[0], line = '', env = {}) => {
    const prompts = scriptedUser(answers);
    const result = await init(line, { prompts, env: { NO_COLOR: '1', ...env } });
    return { ...result, seen: prompts.seen.join('\n'), unseen: prompts.unseen };
  };
  return { configFile, init, settings, answer };
}

describe('init with questions', () => {
  it('tries each answer, shows the profile, and writes it', async () => {
    const { answer, settings } = newProfile();
    const urls = ['localhost:8080', nobody, nobody, 'my-app', app.url];
    const secret = ['reference', 'MY_SECRET', 'env:NOWHERE', 'env:MY_SECRET'];
    const rest = [usual, 'Seoul', 'Asia/Seoul', 'cobol', 'java', true];
    const env = { MY_SECRET: 'a-secret-of-mine' };
    const { status, stdout, seen } = await answer([...urls, ...secret, ...rest], '', env);
    assert.equal(status, 0);
    const refusals = [
      /has no scheme .* Did you mean http:\/\/localhost:8080/,
      /nothing listens there.*Press Enter again to keep it anyway\.$/,
      /^> A reference has the form env:NAME/,
      /NOWHERE is not set\. .* Press Enter again to keep it/,
      /"Seoul" is not a time zone/,
      /"cobol" is not one of java, kotlin/,
    ];
    const printed = seen.split('\n').filter((line) => line.startsWith('> '));
    assert.equal(printed.length, refusals.length);
    for (const [index, message] of refusals.entries()) assert.match(printed[index] ?? '', message);
    assert.match(seen, /^ {2}secret-key {8}env:MY_SECRET {2}✓$/m);
    assert.match(stdout, /The profile default is written[\s\S]*next: authcli simulate-signup/);
    assert.deepEqual(settings(), {
      url: nobody,
      'client-id': 'my-app',
      'auth-url': app.url,
      cipher: usual,
      'secret-key': 'env:MY_SECRET',
      'expire-time-zone': 'Asia/Seoul',
      stack: 'java',
    });
  });

  it('keeps what is set on Enter', async () => {
    const { init, answer, settings } = newProfile();
    const more = `--cipher ${gcm} --expire-time-zone +09:00 --stack go`;
    await init(`--url ${app.url} --auth-url ${app.url} --secret-key env:A ${more}`);
    const kept = settings();
    await answer(['', '', '', 'keep', gcm, '', '', true]);
    assert.deepEqual(settings(), { ...kept, 'client-id': 'authcli-client' });
  });

  it('finds the cipher by a probe, and asks again where there is nothing to find', async () => {
    const { answer, settings } = newProfile();
    const nothing = [nobody, nobody, '', '', 'keep', 'find', usual, '', '', true];
    const silent = await answer(nothing, '--timeout 1s');
    assert.equal(silent.seen.match(/^The cipher of/gm)?.length, 2);
    assert.match(silent.seen, /^ {2}.*nothing listens/m);
    const found = await answer([app.url, '', '', 'keep', 'find', '', '', true]);
    assert.ok(found.seen.includes(`✓ The application expects ${gcm}.`));
    assert.equal(settings().cipher, gcm);
  });

  it('takes a cipher from the list or in the notation', async () => {
    for (const answers of [
      ['java-aes-gcm', '', true],
      ['notation', 'aes-999', 'aes-256-gcm', '', true],
    ]) {
      const { answer, settings } = newProfile();
      const all = `--url ${app.url} --client-id a --auth-url ${app.url} --secret-key env:A`;
      await answer(answers, `${all} --expire-time-zone +09:00`);
      assert.equal(settings().cipher, gcm);
    }
  });

  it('stores a secret that is typed in, private and with a word on references, and shows it nowhere', async () => {
    const { configFile, answer, settings } = newProfile();
    const secret = 'typed-in-secret-41';
    const answers = ['', '', '', 'typed', '', secret, usual, '', '', true];
    const { stdout, stderr, seen, unseen } = await answer(answers);
    assert.deepEqual([unseen, settings()['secret-key']], [['The secret key:'], secret]);
    assert.equal(statSync(configFile).mode & 0o777, 0o600);
    assert.match(stderr, /config set secret-key env:NAME/);
    assert.doesNotMatch(stdout + stderr + seen, /typed-in-secret/);
  });

  const ctrlC = new AuthcliError('interrupted', 'Interrupted.');
  const all = ['', '', '', 'keep', usual, '', ''];
  for (const [name, answers, expected] of [
    ['on Ctrl-C at the last question', [...all, ctrlC], [130, '', false]],
    ['without a yes', [...all, false], [0, 'Nothing was written.\n', false]],
  ] as const) {
    it(`leaves everything as it was ${name}`, async () => {
      const { configFile, answer } = newProfile();
      const { status, stdout } = await answer(answers);
      assert.deepEqual([status, stdout, existsSync(configFile)], expected);
    });
  }
});

describe('init without questions', () => {
  it('does the same by flags', async () => {
    const { init } = newProfile();
    const { stdout } = await init(`--url ${app.url} --stack go --cipher find --json`);
    const { written, settings, checks, profile } = JSON.parse(stdout);
    assert.deepEqual([written, profile], [true, 'default']);
    assert.deepEqual(settings, [
      { name: 'url', value: app.url },
      { name: 'cipher', value: gcm },
      { name: 'stack', value: 'go' },
    ]);
    const [{ id, status: found }, ...others] = checks;
    assert.deepEqual([id, found, others], ['url', 'ok', []]);
  });

  it('asks nothing under --no-input, and warns of what does not respond', async () => {
    const { answer, settings } = newProfile();
    const given = await answer([], `--no-input --url ${nobody} --secret-key env:NOWHERE`);
    assert.equal(given.status, 0);
    assert.match(given.stderr, /^warning: url: .*nothing listens/m);
    assert.match(given.stderr, /^warning: secret-key: .*NOWHERE is not set/m);
    assert.deepEqual(settings(), { url: nobody, 'secret-key': 'env:NOWHERE' });
  });

  it('makes a profile that is not there, with the variable that the secret comes from', async () => {
    const { init, settings } = newProfile();
    const env = { AUTHCLI_SECRET_KEY: 'from-the-environment' };
    const { stdout, stderr } = await init(`--profile staging --url ${nobody}`, { env });
    assert.match(stdout, /simulate-signup --profile staging/);
    const staging = { url: nobody, 'secret-key': 'env:AUTHCLI_SECRET_KEY' };
    assert.deepEqual([settings('staging'), settings()], [staging, {}]);
    assert.doesNotMatch(stdout + stderr, /from-the-environment/);
  });

  for (const [line, message, expected] of [
    ['', /nothing to set/, 2],
    ['--url a:1', /--url: /, 2],
    ['--cipher find', /needs a callback/, 2],
    [`--cipher find --url ${nobody}`, /nothing listens/, 3],
    ['--expire-time-zone Seoul', /not a time zone/, 2],
  ] as const) {
    it(`refuses "init ${line}", and writes nothing`, async () => {
      const { configFile, init } = newProfile();
      const { status, stderr } = await init(line);
      assert.deepEqual([status, existsSync(configFile)], [expected, false]);
      assert.match(stderr, message);
    });
  }
});

it('init offers instructions for agents, and changes only its own section of a file', async () => {
  const [file, skill] = ['AGENTS.md', '.claude/skills/authcli/SKILL.md'];
  const { answer, init } = newProfile();
  mkdirSync(path('.git'));
  const { seen } = await answer([...['', '', '', 'keep', usual, '', '', true], true]);
  assert.match(seen, /Write instructions for coding agents to AGENTS\.md\?$/);
  const own = read(file);
  assert.match(own, /^<!-- authcli: .*\n\n## authcli\n[\s\S]+\n<!-- authcli: end -->\n$/);
  save(file, `Use tabs.\n${own.replace('# Rules', '# Old')}Mine.`);
  mkdirSync(path('.claude'));
  const { stdout } = await init('agents');
  assert.match(stdout, /SKILL\.md has .* \(new\)\.\n.*AGENTS\.md has .* \(updated\)\.\n$/);
  assert.equal(read(file), `Use tabs.\n${own}Mine.`);
  assert.match(read(skill), /^---\nname: authcli\ndescription: .*\n---\n\n<!-- authcli: .*\n\n# a/);
  save(file, own.replace('<!-- authcli: end -->', ''));
  assert.match((await init('agents')).stderr, /AGENTS\.md lacks the line <!-- authcli: end -->/);
  rmSync(path(file));
  symlinkSync('../elsewhere.md', path(file));
  assert.match((await init('agents')).stderr, /AGENTS\.md is a link that leads out of this folder/);
  assert.equal((await init(`agents --url ${nobody}`)).status, 2);
});
