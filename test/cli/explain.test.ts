import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanationGroups } from '../../src/cli/explain/explanations.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import { serviceReviews } from '../../src/conformance/service-reviews.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { applicationCodes, serviceCodes } from '../../src/emulator/refusals.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { workspace } from './workspace.ts';

const { cli, cliJson, save, freshConfig, path } = workspace();
const all = explanationGroups().flatMap(({ explanations }) => explanations);
const explain = async (...argv: readonly string[]) => (await cli(['explain', ...argv])).stdout;
const explainJson = (...argv: readonly string[]) => cliJson(['explain', ...argv]);

describe('the explanations', () => {
  it('know every code there is, each once', () => {
    const codes = all.map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
    const refusals = [...Object.values(applicationCodes), ...Object.values(serviceCodes)];
    const expected = [
      ...Object.keys(catalogue),
      ...[...checks, ...signinChecks, ...serviceReviews].map(({ id }) => id),
      ...['usage', 'config', 'interrupted', 'internal'],
      ...refusals.map(({ code }) => code),
    ];
    for (const code of expected) assert.ok(codes.includes(code), code);
  });

  it('are whole, and fit 50 lines of 100 columns', async () => {
    const kinds = /^(?:diagnosis|error|check|emulator code|fault|field|HTTP status|exit status)$/;
    for (const { code, title, meaning, fix, kind, recognised = meaning, causes = [] } of all) {
      assert.match(title, /^\S.*[^.\s]$/, code);
      for (const text of [meaning, fix, recognised]) assert.match(text, /^\S.{5,}\S$/s, code);
      assert.match(kind, kinds, code);
      if (['emulator code', 'field', 'HTTP status'].includes(kind))
        assert.equal(causes.length, 3, code);
      const lines = (await explain(code)).trimEnd().split('\n');
      assert.ok(lines.length < 50, `${code} has ${lines.length} lines`);
      for (const line of lines) assert.ok(displayWidth(line) <= 100, line);
      assert.ok(lines.join(' ').includes(title), code);
    }
  });
});

describe('explain', () => {
  it('prints all parts as JSON', async () => {
    const code = 'oaep-sha256';
    const { title, meaning, recognised, fix, example, section, calls } = catalogue[code];
    assert.deepEqual((await explainJson(code)).json, {
      ...{ ok: true, command: 'explain', code, kind: 'diagnosis' },
      ...{ title, meaning, recognised, fix, example, section, calls },
      try_it: `authcli emulate app --fault ${code} -- authcli verify --check key-exchange/wraps-key`,
    });
  });

  it('lists all codes without one', async () => {
    const text = await explain();
    for (const { code, title } of all)
      assert.ok(text.includes(`\n  ${code} `) && text.includes(title), code);
    const { codes } = (await explainJson()).json;
    assert.equal(codes.length, all.length);
    assert.deepEqual(Object.keys(codes[0]), ['code', 'kind', 'title']);
  });

  it('prints nothing but words in colour', async () => {
    const { stdout } = await cli(['explain', 'oaep-sha1'], { env: { FORCE_COLOR: '1' } });
    const [, title = ''] = stdout.split('\n');
    assert.ok(title.endsWith('instead of PKCS #1 v1.5.\u001b[22m'), title);
    assert.equal(title.split('The key was wrapped').length, 2);
  });

  const texts: readonly (readonly [string, RegExp, string?])[] = [
    ['javax.crypto.BadPaddingException: Given final block not padded', /padding/, 'java'],
    ['    raise InvalidTag\ncryptography.exceptions.InvalidTag', /authentication tag/, 'python'],
    ['panic: crypto/cipher: input not full blocks', /whole number of blocks/, 'go'],
    ["UnicodeDecodeError: 'utf-8' codec can't decode byte 0x9c", /UTF-8/, 'python'],
    ['error:1C800064:Provider routines::bad decrypt', /padding/],
  ];
  for (const [text, title, stack] of texts) {
    it(`takes the error text ${text.slice(-50)}`, async () => {
      const { json } = await explainJson(text);
      assert.equal(json.kind, 'error text');
      assert.match(json.title, title);
      assert.equal(json.causes.length, 3);
      if (stack !== undefined) assert.deepEqual(Object.keys(json.calls), [stack]);
      assert.match(await explain(text), /^ {2}1\. \S.*\n(?: {5}.*\n)*? {5}authcli /m);
    });
  }

  it('prints the calls of --stack alone, and of every language with --verbose', async () => {
    const go = await explain('oaep-sha256', '--stack', 'go');
    assert.match(go, /^ {4}Go {2}rsa\.EncryptPKCS1v15/m);
    assert.doesNotMatch(go, /^ {4}Java/m);
    for (const flags of [['--stack', 'go', '--verbose'], []])
      assert.match(await explain('oaep-sha256', ...flags), /^ {4}Java/m);
  });

  it('takes a whole stack trace from standard input', async () => {
    const stdin =
      'java.lang.RuntimeException: failed\n\tat com.example.Callback.run(Callback.java:3)\n' +
      'Caused by: javax.crypto.AEADBadTagException: Tag mismatch!\n';
    const { stdout } = await cli(['explain', '-'], { stdin });
    assert.match(stdout, /^javax\.crypto\.AEADBadTagException: Tag mismatch/);
  });

  const others = [
    ['E104', 'emulator code'],
    ['result.ptn_sp', 'field'],
    ['415', 'HTTP status'],
    ['HTTP 500', 'HTTP status'],
    ['3', 'exit status'],
    ['exit status 4', 'exit status'],
  ] as const;
  for (const [text, kind] of others) {
    it(`takes ${text}, with three likely causes and a command for each`, async () => {
      const { json } = await explainJson(text);
      assert.equal(json.kind, kind);
      assert.equal(json.causes.length, 3);
      for (const { cause, command } of json.causes) {
        assert.match(cause, /^\S.*\.$/);
        assert.match(command, /^(?:authcli|node) \S/);
      }
    });
  }

  it('has no likely causes where nothing went wrong or no command could tell', async () => {
    for (const status of ['0', '1', '70', '130', '143']) {
      const text = await explain(`exit code ${status}`);
      assert.match(text, /exit status\n/);
      assert.doesNotMatch(text, /Likely causes|simulate-signup/);
    }
  });

  const found: readonly (readonly [argv: readonly string[], shown: RegExp])[] = [
    [['one-slot-for-all'], /^one-slot-for-all {2}fault, section [\d.]+\n/],
    [['one-slot-for-all'], /Try it\n {2}authcli emulate app --fault one-slot-for-all -- authcli /],
    [['terminated'], /^interrupted /],
    [['OAEP-SHA1'], /^oaep-sha1 /],
    [['a108'], /^A108 /],
    [['0000'], /^code .*field/],
    [['bad', 'decrypt'], /^bad decrypt /],
  ];
  for (const [argv, shown] of found) {
    it(`finds ${argv.join(' ')}: ${shown.source}`, async () => {
      assert.match(await explain(...argv), shown);
    });
  }

  it('has the calls of the cipher that is set, or given', async () => {
    const configFile = freshConfig();
    const callOf = async (...argv: readonly string[]): Promise<string> =>
      (await cliJson(['explain', ...argv], { configFile })).json.calls.java;
    await cli(['config', 'set', 'cipher', 'aes-256-ecb'], { configFile });
    for (const code of ['cipher-mismatch', 'bad-padding', 'javax.crypto.BadPaddingException: x']) {
      assert.match(await callOf(code), /AES\/ECB\/PKCS5Padding/);
      assert.match(await callOf(code, '--cipher', 'aes-128-cbc'), /AES\/CBC\/PKCS5Padding/);
    }
    assert.match(await callOf('bad-tag'), /AES\/GCM/);
    assert.match(await callOf('bad-tag', '--cipher', 'aes-128-gcm?ivlen=16'), /raw, 0, 16/);
    assert.match(await callOf('oaep-sha1'), /PKCS1Padding/);
  });

  it('explains also where the settings are damaged', async () => {
    save('damaged.json', '{');
    const { stdout } = await cli(['explain', 'config'], { configFile: path('damaged.json') });
    assert.match(stdout, /^config /);
  });

  const unknown = [
    ['oeap-sha1', /Did you mean "oaep-sha1"\?/],
    ['wraps-key', /Did you mean "key-exchange\/wraps-key"\?/],
    ['oaep', /mean "oaep-sha1", "oaep-sha256", "oaep-other", "oaep-/],
    ['zzzzzzzz', /^fix: {3}`authcli explain` lists all codes\.\nnext: {2}authcli explain$/m],
  ] as const;
  for (const [code, hint] of unknown) {
    it(`refuses ${code}, and says what is near`, async () => {
      const { status, stdout, stderr } = await cli(['explain', code]);
      assert.deepEqual([status, stdout], [2, '']);
      assert.ok(stderr.includes(`Unknown code "${code}"`), stderr);
      assert.match(stderr, hint);
    });
  }
});
