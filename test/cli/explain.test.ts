import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanationSources } from '../../src/cli/explanations.ts';
import { checks } from '../../src/conformance/catalogue.ts';
import { serviceChecks } from '../../src/conformance/service-catalogue.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { applicationCodes } from '../../src/emulator/application-codes.ts';
import { serviceCodes } from '../../src/emulator/service-codes.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { run } from '../support/run.ts';

const world = { configFile: '/dev/null' };
const groups = await Promise.all(explanationSources.map(({ load }) => load()));
const all = groups.flat();

describe('explanationSources', () => {
  it('know every code there is, each once', () => {
    const expected = [
      ...Object.keys(catalogue),
      ...checks.map(({ id }) => id),
      ...signinChecks.map(({ id }) => id),
      ...serviceChecks.map(({ id }) => id),
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

  for (const { code, title, meaning, mend, kind, recognised } of all) {
    it(`explain ${code} in full`, () => {
      assert.match(title, /^\S.*[^.\s]$/);
      for (const text of [meaning, mend, recognised ?? '']) assert.match(text, /^\S.{5,}\S$/s);
      assert.match(kind, /^(?:diagnosis|error|check|emulator code)$/);
    });
  }
});

describe('explain', () => {
  for (const { code, title } of all) {
    it(`prints ${code} in under 40 lines of at most 100 columns`, async () => {
      const { status, stdout } = await run(['explain', code], world);
      const lines = stdout.trimEnd().split('\n');
      assert.equal(status, 0);
      assert.ok(lines.length < 40, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => displayWidth(line) > 100),
        [],
      );
      assert.ok(stdout.replaceAll('\n', ' ').includes(title));
    });
  }

  it('prints all parts as JSON', async () => {
    const { stdout } = await run(['explain', 'oaep-sha256', '--json'], world);
    const document = JSON.parse(stdout);
    const { title, meaning, recognised, mend, example, section, calls } = catalogue['oaep-sha256'];
    assert.deepEqual(document, {
      ok: true,
      command: 'explain',
      code: 'oaep-sha256',
      kind: 'diagnosis',
      title,
      meaning,
      recognised,
      mend,
      example,
      section,
      calls,
      try_it:
        'authcli emulate app --fault oaep-sha256 -- authcli verify --check key-exchange/wraps-key',
    });
  });

  it('lists all codes without one', async () => {
    const { status, stdout } = await run(['explain'], world);
    assert.equal(status, 0);
    for (const { code, title } of all) {
      assert.ok(stdout.includes(`\n  ${code} `), code);
      assert.ok(stdout.includes(title), title);
    }
    const { codes } = JSON.parse((await run(['explain', '--json'], world)).stdout);
    assert.equal(codes.length, all.length);
    assert.deepEqual(Object.keys(codes[0]), ['code', 'kind', 'title']);
  });

  it('prints nothing but words in colour', async () => {
    const { stdout } = await run(['explain', 'oaep-sha1'], { ...world, env: { FORCE_COLOR: '1' } });
    const [, title = ''] = stdout.split('\n');
    assert.ok(title.endsWith('instead of PKCS #1 v1.5.\u001b[22m'), title);
    assert.equal(title.split('The key was wrapped').length, 2);
  });

  it('takes capital letters for small ones, and the reverse', async () => {
    assert.match((await run(['explain', 'OAEP-SHA1'], world)).stdout, /^oaep-sha1 /);
    assert.match((await run(['explain', 'a108'], world)).stdout, /^A108 /);
  });

  const unknown = [
    ['oeap-sha1', /There is no code "oeap-sha1"/, /Did you mean "oaep-sha1"\?/],
    ['wraps-key', /There is no code "wraps-key"/, /Did you mean "key-exchange\/wraps-key"\?/],
    ['oaep', /There is no code "oaep"/, /mean "oaep-sha1", "oaep-sha256", "oaep-other"\?/],
    ['zzzzzzzz', /There is no code "zzzzzzzz"/, /^ {2}`authcli explain` lists all codes\.$/m],
  ] as const;
  for (const [code, message, hint] of unknown) {
    it(`refuses ${code}, and says what is near`, async () => {
      const { status, stdout, stderr } = await run(['explain', code], world);
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.match(stderr, hint);
    });
  }
});
