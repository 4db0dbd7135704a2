import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { scriptedUser } from '../support/prompts.ts';
import { run } from '../support/run.ts';
import { app, ctrlC, gcm, newFile, nobody, noColour, settingsIn, usual } from './init.ts';

describe('init with questions', () => {
  it('tries each answer, shows the profile, and writes it', async () => {
    const configFile = newFile();
    const prompts = scriptedUser([
      'localhost:8080',
      nobody,
      nobody,
      'my-app',
      app.url,
      'reference',
      'MY_SECRET',
      'env:MY_SECRET',
      usual,
      'Seoul',
      'Asia/Seoul',
      'cobol',
      'java',
      true,
    ]);
    const env = { ...noColour, MY_SECRET: 'a-secret-of-mine' };
    const { status, stdout } = await run(['init'], { configFile, prompts, env });
    assert.equal(status, 0);
    const refusals = prompts.seen.filter((line) => line.startsWith('> '));
    assert.match(refusals[0] ?? '', /has no scheme .* Did you mean http:\/\/localhost:8080/);
    assert.match(
      refusals[1] ?? '',
      /nothing listens there.*Press Enter again to keep it anyway\.$/,
    );
    assert.match(refusals[2] ?? '', /^> A reference has the form env:NAME/);
    assert.match(refusals[3] ?? '', /"Seoul" is not a time zone/);
    assert.match(refusals[4] ?? '', /"cobol" is not one of java, kotlin/);
    assert.equal(refusals.length, 5);
    assert.ok(prompts.seen.includes('  secret-key        env:MY_SECRET  ✓'));
    assert.match(stdout, /The profile default is written/);
    assert.match(stdout, /next: authcli simulate-signup/);
    assert.deepEqual(settingsIn(configFile), {
      url: nobody,
      'client-id': 'my-app',
      'auth-url': app.url,
      'secret-key': 'env:MY_SECRET',
      cipher: usual,
      'expire-time-zone': 'Asia/Seoul',
      stack: 'java',
    });
  });

  it('keeps what is set on Enter, and what is left open stays open', async () => {
    const configFile = newFile();
    await run(['init', '--url', app.url, '--secret-key', 'env:A', '--no-check'], { configFile });
    const kept = settingsIn(configFile);
    const answers = ['', '', '', 'keep', usual, '', '', true];
    const prompts = scriptedUser(answers);
    const { status } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.ok(prompts.seen.some((line) => line.includes('keep|reference|typed')));
    assert.deepEqual(settingsIn(configFile), {
      ...(kept as object),
      'client-id': 'authcli-client',
      cipher: usual,
    });
  });

  it('removes what is set on "-", and where that is chosen', async () => {
    const configFile = newFile();
    const all = ['--url', app.url, '--auth-url', app.url, '--secret-key', 'env:A'];
    const more = ['--client-id', 'a', '--cipher', gcm, '--expire-time-zone', '+09:00'];
    await run(['init', '--no-check', ...all, ...more], { configFile });
    const prompts = scriptedUser(['-', '-', '-', 'remove', '-', '-', '', true]);
    const { status, stdout } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.ok(prompts.seen.includes("The application's callback URL (- removes it):"));
    assert.ok(prompts.seen.some((line) => line.includes('keep|reference|typed|remove')));
    assert.ok(!prompts.seen.some((line) => line.includes('|find|')), 'there is no URL any more');
    assert.ok(prompts.seen.includes('  secret-key        removed'));
    assert.match(stdout, /next: authcli doctor/);
    assert.deepEqual(settingsIn(configFile), {});
  });

  it('removes nothing that is not set', async () => {
    const configFile = newFile();
    const prompts = scriptedUser(['-', 'a', '-', 'keep', usual, '-', '', true]);
    assert.equal((await run(['init'], { configFile, prompts, env: noColour })).status, 0);
    assert.deepEqual(settingsIn(configFile), { 'client-id': 'a', cipher: usual });
  });

  it('finds the cipher by a probe, and asks again where there is nothing to find', async () => {
    const configFile = newFile();
    const silent = scriptedUser([nobody, nobody, '', '', 'keep', 'find', usual, '', '', true]);
    await run(['init', '--timeout', '1s'], { configFile, prompts: silent, env: noColour });
    assert.equal(silent.seen.filter((line) => line.startsWith('The cipher of')).length, 2);
    assert.ok(
      silent.seen.some((line) => line.startsWith('  ') && line.includes('nothing listens')),
    );

    const prompts = scriptedUser([app.url, '', '', 'keep', 'find', '', '', true]);
    const { status } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.ok(prompts.seen.includes(`✓ The application expects ${gcm}.`));
    assert.equal((settingsIn(configFile) as { cipher: string }).cipher, gcm);
  });

  it('takes a cipher from the list or in the notation', async () => {
    const configFile = newFile();
    const argv = [
      'init',
      '--no-check',
      '--url',
      app.url,
      '--client-id',
      'a',
      '--auth-url',
      app.url,
    ];
    const rest = ['--secret-key', 'env:A', '--expire-time-zone', '+09:00'];
    for (const [answers, expected] of [
      [['list', 'java-aes-gcm', '', true], gcm],
      [['notation', 'aes-999', 'aes-256-gcm', '', true], gcm],
    ] as const) {
      const prompts = scriptedUser(answers);
      assert.equal((await run([...argv, ...rest], { configFile, prompts })).status, 0);
      assert.equal((settingsIn(configFile) as { cipher: string }).cipher, expected);
    }
  });

  it('stores a secret that is typed in, private and with a word on references, and shows it nowhere', async () => {
    const configFile = newFile();
    const secret = 'typed-in-secret-41';
    const prompts = scriptedUser(['', '', '', 'typed', '', secret, usual, '', '', true]);
    const { status, stdout, stderr } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.deepEqual(prompts.unseen, ['The secret key:']);
    assert.equal((settingsIn(configFile) as Record<string, string>)['secret-key'], secret);
    assert.equal(statSync(configFile).mode & 0o777, 0o600);
    assert.match(stderr, /config set secret-key env:NAME/);
    assert.doesNotMatch(stdout + stderr + prompts.seen.join('\n'), /typed-in-secret/);
  });

  it('warns of a reference that leads nowhere, and takes it when it is given again', async () => {
    const configFile = newFile();
    const reference = ['reference', 'env:NOWHERE', 'env:NOWHERE'];
    const prompts = scriptedUser(['', '', '', ...reference, usual, '', '', true]);
    const { status } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.match(prompts.seen.join('\n'), /NOWHERE is not set\. .* Press Enter again to keep it/);
    assert.equal((settingsIn(configFile) as Record<string, string>)['secret-key'], 'env:NOWHERE');
  });

  const stops = [
    { name: 'at the first question', answers: [ctrlC] },
    { name: 'at the last', answers: ['', '', '', 'keep', usual, '', '', ctrlC] },
  ];
  for (const { name, answers } of stops) {
    it(`leaves everything as it was on Ctrl-C ${name}`, async () => {
      const configFile = newFile();
      const prompts = scriptedUser(answers);
      const { status } = await run(['init'], { configFile, prompts, env: noColour });
      assert.equal(status, 130);
      assert.equal(existsSync(configFile), false);
    });
  }

  it('writes nothing without a yes', async () => {
    const configFile = newFile();
    const prompts = scriptedUser(['', '', '', 'keep', usual, '', '', false]);
    const { status, stdout } = await run(['init'], { configFile, prompts, env: noColour });
    assert.equal(status, 0);
    assert.equal(stdout, 'Nothing was written.\n');
    assert.equal(existsSync(configFile), false);
  });
});
