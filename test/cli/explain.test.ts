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
const explainJson = async (...argv: readonly string[]) =>
  (await cliJson(['explain', ...argv])).json;

describe('explain', () => {
  it('knows every code there is, each once, and fits 50 lines of 100 columns', async () => {
    const codes = all.map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
    const refusals = [...Object.values(applicationCodes), ...Object.values(serviceCodes)];
    for (const code of [
      ...Object.keys(catalogue),
      ...[...checks, ...signinChecks, ...serviceReviews].map(({ id }) => id),
      ...['usage', 'config', 'interrupted', 'internal'],
      ...refusals.map(({ code }) => code),
    ])
      assert.ok(codes.includes(code), code);
    for (const { code, title, kind, tryIt = '' } of all) {
      if (['emulator code', 'field', 'HTTP status'].includes(kind))
        assert.match(tryIt, /^authcli /, code);
      if (kind === 'field')
        for (const [, id = ''] of tryIt.matchAll(/--check (\S+)/g))
          assert.ok(codes.includes(id), id);
      const lines = (await explain(code)).trimEnd().split('\n');
      assert.ok(lines.length < 50, `${code} has ${lines.length} lines`);
      for (const line of lines) assert.ok(displayWidth(line) <= 100, line);
      assert.ok(lines.join(' ').includes(title), code);
    }
  });

  it('prints all parts as JSON', async () => {
    const code = 'oaep-sha256';
    const { title, meaning, recognised, fix, example, section, calls } = catalogue[code];
    assert.deepEqual(await explainJson(code), {
      ok: true,
      command: 'explain',
      code,
      kind: 'diagnosis',
      title,
      meaning,
      recognised,
      fix,
      example,
      section,
      calls,
      try_it: `authcli emulate app --fault ${code} -- authcli verify --check key-exchange/wraps-key`,
    });
  });

  it('lists all codes without one', async () => {
    const text = await explain();
    for (const { code, title } of all)
      assert.ok(text.includes(`\n  ${code} `) && text.includes(title), code);
    const { codes } = await explainJson();
    const [{ code, kind, title } = assert.fail()] = all;
    assert.deepEqual([codes.length, codes[0]], [all.length, { code, kind, title }]);
  });

  it('takes an error text, with at most two likely causes and the calls of its language', async () => {
    for (const [text, title, stack] of [
      ['javax.crypto.BadPaddingException: Given final block not padded', /padding/, 'java'],
      ['    raise InvalidTag\ncryptography.exceptions.InvalidTag', /authentication t/, 'python'],
      ['error:1C800064:Provider routines::bad decrypt', /padding/],
    ] as const) {
      const { kind, title: found, causes, calls } = await explainJson(text);
      assert.ok(kind === 'error text' && causes.length <= 2);
      assert.match(found, title);
      if (stack !== undefined) assert.deepEqual(Object.keys(calls), [stack]);
    }
  });

  const trace =
    'java.lang.RuntimeException: failed\n\tat com.example.Callback.run(Callback.java:3)\n' +
    'Caused by: javax.crypto.AEADBadTagException: Tag mismatch!\n';
  const go = /^(?![\s\S]*^ {4}Java)[\s\S]*^ {4}Go {2}rsa\.EncryptPKCS1v15/m;
  for (const [line, shown, stdin] of [
    ['terminated', /^interrupted /],
    ['a108', /^A108 {2}emulator code/],
    ['0000', /^code .*field/],
    ['422 Unprocessable Entity', /^422 {2}HTTP status/],
    ['"result.ptn_sp"', /^ptn_sp .*field/],
    ['HTTP 500', /^500 .*HTTP status/],
    ['exit status 4', /^4 .*exit status[\s\S]*`authcli doctor`/],
    ['exit code 70', /^70 .*exit status(?![\s\S]*simulate-signup)/],
    ['bad decrypt', /^bad decrypt [\s\S]*^ {2}1\. \S.*\n(?: {5}.*\n)*? {5}authcli /m],
    ['-', /^javax\.crypto\.AEADBadTagException: Tag mismatch/, trace],
    ['{"status":500,"message":"ptn_cd?"}', /does not know[\s\S]*status is 500[\s\S]*--app-log/],
    [
      'secretOrPrivateKey must have a value',
      /^secretOr.*value {2}error text\nauthcli does not know/,
    ],
    ['oaep-sha256 --stack go', go],
    ['oaep-sha256 --stack go --verbose', /^ {4}Java/m],
  ] as const) {
    it(`finds ${line}: ${shown.source}`, async () => {
      const { stdout } = await cli(['explain', ...line.split(' ')], { stdin });
      assert.match(stdout, shown);
    });
  }

  it('has the calls of the cipher that is set, or given, and needs no settings that can be read', async () => {
    const configFile = freshConfig();
    await cli(['config', 'set', 'cipher', 'aes-256-ecb'], { configFile });
    const gcm = ['--cipher', 'aes-128-gcm?ivlen=16'];
    const cbc = ['--cipher', 'aes-128-cbc'];
    for (const [code, flags, call] of [
      ['cipher-mismatch', [], /AES\/ECB\/PKCS5Padding/],
      ['bad-padding', [], /AES\/ECB\/PKCS5Padding/],
      ['javax.crypto.BadPaddingException: x', cbc, /AES\/CBC\/PKCS5Padding/],
      ['bad-tag', gcm, /raw, 0, 16/],
      ['oaep-sha1', [], /PKCS1Padding/],
    ] as const) {
      const { json } = await cliJson(['explain', code, ...flags], { configFile });
      assert.match(json.calls.java, call);
    }
    save('damaged.json', '{');
    const { stdout } = await cli(['explain', 'config'], { configFile: path('damaged.json') });
    assert.match(stdout, /^config /);
  });

  for (const [code, hint] of [
    ['oeap-sha1', /Did you mean "oaep-sha1"\?/],
    ['oaep', /mean "oaep-sha1", "oaep-sha256", "oaep-other"\?/],
    ['zzzzzzzz', /^fix: {3}`authcli explain` lists all codes\.\nnext: {2}authcli explain$/m],
  ] as const) {
    it(`refuses ${code}, and says what is near`, async () => {
      const { status, stdout, stderr } = await cli(['explain', code]);
      assert.deepEqual([status, stdout], [2, '']);
      assert.ok(stderr.includes(`Unknown code "${code}"`), stderr);
      assert.match(stderr, hint);
    });
  }
});
