import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { explanationGroups } from '../../src/cli/explain/explanations.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import { serviceReviews } from '../../src/conformance/service-reviews.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { applicationCodes, serviceCodes } from '../../src/emulator/refusals.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { run } from '../support/run.ts';

const environment = { configFile: '/dev/null' };
const groups = explanationGroups().map(({ explanations }) => explanations);
const all = groups.flat();

describe('the explanations', () => {
  it('know every code there is, each once', () => {
    const expected = [
      ...Object.keys(catalogue),
      ...checks.map(({ id }) => id),
      ...signinChecks.map(({ id }) => id),
      ...serviceReviews.map(({ id }) => id),
      ...['usage', 'config', 'interrupted', 'internal'],
      ...Object.values(applicationCodes).map(({ code }) => code),
      ...Object.values(serviceCodes).map(({ code }) => code),
    ];
    const codes = all.map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
    assert.deepEqual(
      expected.filter((code) => !codes.includes(code)),
      [],
    );
  });

  for (const { code, title, meaning, fix, kind, recognised } of all) {
    it(`explain ${code} in full`, () => {
      assert.match(title, /^\S.*[^.\s]$/);
      for (const text of [meaning, fix, recognised ?? meaning]) assert.match(text, /^\S.{5,}\S$/s);
      assert.match(
        kind,
        /^(?:diagnosis|error|check|emulator code|fault|field|HTTP status|exit status)$/,
      );
    });
  }
});

describe('explain', () => {
  for (const { code, title } of all) {
    it(`prints ${code} in under 50 lines of at most 100 columns`, async () => {
      const { status, stdout } = await run(['explain', code], environment);
      const lines = stdout.trimEnd().split('\n');
      assert.equal(status, 0);
      assert.ok(lines.length < 50, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => displayWidth(line) > 100),
        [],
      );
      assert.ok(stdout.replaceAll('\n', ' ').includes(title));
    });
  }

  it('prints all parts as JSON', async () => {
    const { stdout } = await run(['explain', 'oaep-sha256', '--json'], environment);
    const document = JSON.parse(stdout);
    const { title, meaning, recognised, fix, example, section, calls } = catalogue['oaep-sha256'];
    assert.deepEqual(document, {
      ok: true,
      command: 'explain',
      code: 'oaep-sha256',
      kind: 'diagnosis',
      title,
      meaning,
      recognised,
      fix,
      example,
      section,
      calls,
      try_it:
        'authcli emulate app --fault oaep-sha256 -- authcli verify --check key-exchange/wraps-key',
    });
  });

  it('lists all codes without one', async () => {
    const { status, stdout } = await run(['explain'], environment);
    assert.equal(status, 0);
    for (const { code, title } of all) {
      assert.ok(stdout.includes(`\n  ${code} `), code);
      assert.ok(stdout.includes(title), title);
    }
    const { codes } = JSON.parse((await run(['explain', '--json'], environment)).stdout);
    assert.equal(codes.length, all.length);
    assert.deepEqual(Object.keys(codes[0]), ['code', 'kind', 'title']);
  });

  it('prints nothing but words in colour', async () => {
    const { stdout } = await run(['explain', 'oaep-sha1'], {
      ...environment,
      env: { FORCE_COLOR: '1' },
    });
    const [, title = ''] = stdout.split('\n');
    assert.ok(title.endsWith('instead of PKCS #1 v1.5.\u001b[22m'), title);
    assert.equal(title.split('The key was wrapped').length, 2);
  });

  const texts = [
    ['javax.crypto.BadPaddingException: Given final block not properly padded', /padding/, 'java'],
    ['    raise InvalidTag\ncryptography.exceptions.InvalidTag', /authentication tag/, 'python'],
    ['panic: crypto/cipher: input not full blocks', /whole number of blocks/, 'go'],
    ["UnicodeDecodeError: 'utf-8' codec can't decode byte 0x9c in position 1", /UTF-8/, 'python'],
    [
      'System.Security.Cryptography.CryptographicException: Padding is invalid',
      /padding/,
      'csharp',
    ],
    ['error:1C800064:Provider routines::bad decrypt', /padding/, undefined],
  ] as const;
  for (const [text, title, stack] of texts) {
    it(`takes the error text ${text.slice(-50)}`, async () => {
      const { status, stdout } = await run(['explain', text, '--json'], environment);
      const document = JSON.parse(stdout);
      assert.equal(status, 0);
      assert.equal(document.kind, 'error text');
      assert.match(document.title, title);
      assert.equal(document.causes.length, 3);
      if (stack !== undefined) assert.deepEqual(Object.keys(document.calls), [stack]);
      const { stdout: shown } = await run(['explain', text], environment);
      assert.match(shown, /^ {2}1\. \S.*\n(?: {5}.*\n)*? {5}authcli /m);
    });
  }

  it('prints the calls of --stack alone, and of every language with --verbose', async () => {
    const text = async (...argv: readonly string[]) =>
      (await run(['explain', 'oaep-sha256', ...argv], environment)).stdout;
    assert.match(await text('--stack', 'go'), /^ {4}Go {2}rsa\.EncryptPKCS1v15/m);
    assert.doesNotMatch(await text('--stack', 'go'), /^ {4}Java/m);
    assert.match(await text('--stack', 'go', '--verbose'), /^ {4}Java/m);
    assert.match(await text(), /^ {4}Java/m);
  });

  it('takes a whole stack trace from standard input', async () => {
    const stdin =
      'java.lang.RuntimeException: failed\n\tat com.example.Callback.run(Callback.java:3)\n' +
      'Caused by: javax.crypto.AEADBadTagException: Tag mismatch!\n';
    const { status, stdout } = await run(['explain', '-'], { ...environment, stdin });
    assert.equal(status, 0);
    assert.match(stdout, /^javax\.crypto\.AEADBadTagException: Tag mismatch/);
  });

  const others = [
    ['E104', 'emulator code'],
    ['enc_partner_key', 'field'],
    ['result.ptn_sp', 'field'],
    ['415', 'HTTP status'],
    ['HTTP 500', 'HTTP status'],
    ['3', 'exit status'],
    ['exit status 4', 'exit status'],
  ] as const;
  for (const [text, kind] of others) {
    it(`takes ${text}, with three likely causes and a command for each`, async () => {
      const { status, stdout } = await run(['explain', text, '--json'], environment);
      const document = JSON.parse(stdout);
      assert.equal(status, 0);
      assert.equal(document.kind, kind);
      assert.equal(document.causes.length, 3);
      for (const { cause, command } of document.causes) {
        assert.match(cause, /^\S.*\.$/);
        assert.match(command, /^(?:authcli|node) \S/);
      }
    });
  }

  it('has no likely causes where nothing went wrong or no command could tell', async () => {
    for (const status of ['0', '1', '70', '130', '143']) {
      const { stdout } = await run(['explain', `exit code ${status}`], environment);
      assert.match(stdout, /exit status\n/);
      assert.doesNotMatch(stdout, /Likely causes|simulate-signup/);
    }
  });

  it('has a command of its own for each cause of a status', () => {
    const [unsupported] = all.filter(({ code }) => code === '415');
    const lines = unsupported?.causes?.map(({ command }) => command) ?? [];
    assert.equal(new Set(lines).size, 3);
  });

  it('explains a fault that the journal of an emulator names', async () => {
    const { stdout } = await run(['explain', 'one-slot-for-all'], environment);
    assert.match(stdout, /^one-slot-for-all {2}fault, section [\d.]+\n/);
    assert.match(stdout, /Try it\n {2}authcli emulate app --fault one-slot-for-all -- authcli /);
  });

  it('explains "terminated" as the code under which it is published', async () => {
    assert.match((await run(['explain', 'terminated'], environment)).stdout, /^interrupted /);
  });

  it('leads from an unknown code to the list', async () => {
    const { stderr } = await run(['explain', 'nothing-of-the-kind'], environment);
    assert.match(stderr, /^next: {2}authcli explain$/m);
  });

  it('has causes for every code of the emulators, field and status', () => {
    const kinds = ['emulator code', 'field', 'HTTP status'];
    const lacking = all.filter(
      ({ kind, causes = [] }) => kinds.includes(kind) && causes.length !== 3,
    );
    assert.deepEqual(
      lacking.map(({ code }) => code),
      [],
    );
  });

  it('takes capital letters for small ones, and the reverse', async () => {
    assert.match((await run(['explain', 'OAEP-SHA1'], environment)).stdout, /^oaep-sha1 /);
    assert.match((await run(['explain', 'a108'], environment)).stdout, /^A108 /);
  });

  it('explains "0000" as the field that has it', async () => {
    assert.match((await run(['explain', '0000'], environment)).stdout, /^code .*field/);
  });

  it('takes the words of an error text without quotes', async () => {
    const { stdout } = await run(['explain', 'bad', 'decrypt'], environment);
    assert.equal(stdout, (await run(['explain', 'bad decrypt'], environment)).stdout);
    assert.match(stdout, /^bad decrypt /);
  });

  it('has the calls of the cipher that is set, or given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-explain-'));
    const configFile = join(folder, 'config.json');
    const callOf = async (...argv: readonly string[]): Promise<string> => {
      const { stdout } = await run(['explain', ...argv, '--json'], { configFile });
      return JSON.parse(stdout).calls.java;
    };
    try {
      const text = 'javax.crypto.BadPaddingException: Given final block not properly padded';
      await run(['config', 'set', 'cipher', 'aes-256-ecb'], { configFile });
      for (const code of ['cipher-mismatch', 'bad-padding', text]) {
        assert.match(await callOf(code), /AES\/ECB\/PKCS5Padding/);
        assert.match(await callOf(code, '--cipher', 'aes-128-cbc'), /AES\/CBC\/PKCS5Padding/);
      }
      assert.match(await callOf('bad-tag'), /AES\/GCM/);
      assert.match(await callOf('bad-tag', '--cipher', 'aes-128-gcm?ivlen=16'), /raw, 0, 16/);
      assert.match(await callOf('oaep-sha1'), /PKCS1Padding/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('explains also where the settings are damaged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-explain-'));
    const configFile = join(folder, 'config.json');
    writeFileSync(configFile, '{');
    const { status, stdout } = await run(['explain', 'config'], { configFile });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0);
    assert.match(stdout, /^config /);
  });

  const unknown = [
    ['oeap-sha1', /Unknown code "oeap-sha1"/, /Did you mean "oaep-sha1"\?/],
    ['wraps-key', /Unknown code "wraps-key"/, /Did you mean "key-exchange\/wraps-key"\?/],
    ['oaep', /Unknown code "oaep"/, /mean "oaep-sha1", "oaep-sha256", "oaep-other", "oaep-/],
    ['zzzzzzzz', /Unknown code "zzzzzzzz"/, /^fix: {3}`authcli explain` lists all codes\.$/m],
  ] as const;
  for (const [code, message, hint] of unknown) {
    it(`refuses ${code}, and says what is near`, async () => {
      const { status, stdout, stderr } = await run(['explain', code], environment);
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.match(stderr, hint);
    });
  }
});
