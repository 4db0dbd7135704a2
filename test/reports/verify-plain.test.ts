import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnose } from '../../src/diagnosis/catalogue.ts';
import { plainLook } from '../../src/reports/failure-text.ts';
import type { VerifyDocument } from '../../src/reports/verify-document.ts';
import { verifyGithub } from '../../src/reports/verify-github.ts';
import { verifyLines } from '../../src/reports/verify-human.ts';
import { element, escapeXml, verifyJunit } from '../../src/reports/verify-junit.ts';
import { verifyMarkdown } from '../../src/reports/verify-markdown.ts';
import { check, failedCheck, run } from '../support/verify-sample.ts';

const failed = failedCheck({ title: 'must wrap the key' });
const tls = { id: 'protocol/tls', title: 'should use TLS', level: 'should' } as const;
const warned = failedCheck({ ...tls, status: 'warned', diagnosis: undefined });
const reason = 'It has no control # here.';
const skipped = check({ id: 'registration/latest-key', status: 'skipped', reason });
const known = failedCheck({
  id: 'key-exchange/key-sizes',
  title: 'must take long keys',
  known: { check: 'key-exchange/*', reason: 'the module takes 2048 bits' },
});
const refused = {
  code: 'refused',
  message: 'Nothing listens there.',
  hint: '',
  calls: {},
} as const;
const all = run([check(), failed, warned, skipped, known], { cipher: 'aes-256-cbc' });
const human = (document: VerifyDocument, look = plainLook) => verifyLines(document, look);

/** Text of a peer that tries to be more than text. */
const hostile = '\u001b[31m\n::error::x <script>&"\'`|* \u202e';
const diagnosis = { code: 'not-json', message: hostile, hint: hostile, calls: {} } as const;
const attacked = run([failedCheck({ observed: hostile, fix: hostile, diagnosis })]);

describe('the report for people', () => {
  it('is the checks, each cause with its fix once, and the verdict', () => {
    assert.deepEqual(human(all), [
      'Verifying http://localhost:8080/callback',
      '',
      '  ✓ key-exchange/answers-success  must accept a valid key exchange',
      '  ✗ key-exchange/wraps-key        must wrap the key',
      '  ✗ key-exchange/key-sizes        must take long keys (known: the module takes 2048 bits)',
      '',
      '  ! protocol/tls                  should use TLS',
      '',
      '  · registration/latest-key       skipped: It has no control # here.',
      '',
      '✗ key-exchange/wraps-key  must wrap the key (must)',
      '  cause: The key was wrapped with OAEP.',
      '  fix:   Ask for PKCS #1.',
      '  also:  key-exchange/key-sizes',
      '',
      '! protocol/tls  should use TLS (should)',
      `  cause: Expected ${warned.expected}; got ${warned.observed}.`,
      '  fix:   Ask for PKCS #1.',
      '',
      '5 requests in 1.23 s; 2 test users (authcli-a …); seed a1b2c3d4; cipher aes-256-cbc',
      '✗ 1 passed, 2 failed (1 known), 1 warned, 1 skipped.',
    ]);
  });

  it('lists failures worst first, and warnings behind them', () => {
    const ids = ['path', 'leak', 'warned leak', 'way in', 'other way in'];
    const harms = [undefined, 'leaks', 'leaks', 'lets-in', 'lets-in'] as const;
    const found = ids.map((id, index) => {
      const status = id.startsWith('warned') ? 'warned' : 'failed';
      return failedCheck({ id: `signin/${id}`, harm: harms[index], status, fix: id });
    });
    assert.deepEqual(
      human(run(found)).flatMap((line) => /^[✗!] signin\/(.*?) {2}/.exec(line)?.[1] ?? []),
      ['way in', 'other way in', 'leak', 'path', 'warned leak'],
    );
  });

  it('adds section, expected, observed, curl and the command under --verbose', () => {
    const lines = human(all, { ...plainLook, detail: 'verbose' });
    const start = lines.indexOf('  key-exchange/wraps-key');
    assert.deepEqual(lines.slice(start + 1, start + 6), [
      `    Section 2.2  ${failed.sentence}`,
      `    Expected     ${failed.expected}`,
      `    Observed     ${failed.observed}`,
      `    ${failed.repeat?.curl}`,
      `    ${failed.repeat?.command}`,
    ]);
  });

  it('says a reason once, where it is that of several in a row', () => {
    const reasons = [reason, reason, 'Another.'];
    const lines = human(run(reasons.map((each) => ({ ...skipped, reason: each }))));
    assert.deepEqual(
      lines.filter((line) => line.startsWith('  ·')).map((line) => line.slice(29)),
      [`skipped: ${reason}`, 'skipped for the same reason', 'skipped: Another.'],
    );
  });

  it('ends with the verdict', () => {
    const stale = [{ check: 'protocol/tls', reason: 'x' }];
    for (const [document, verdict] of [
      [run([check()]), '✓ 1 passed.'],
      [run([check(), known, warned]), '✓ 1 passed, 1 failed (1 known), 1 warned.'],
      [run([skipped]), '✗ 1 skipped.'],
      [run([check()], { stale }), '✗ 1 passed.'],
      [run([check()], { interrupted: true }), '✗ 1 passed.'],
      [run([check()], { unreachable: refused }), '✗ 1 passed.'],
    ] as const)
      assert.equal(human(document).at(-1), verdict);
  });

  it('gives the right call of each stack a line of its own', () => {
    const found = diagnose('oaep-sha1', 'm');
    const lines = human(run([failedCheck({ diagnosis: found, fix: found.hint })]));
    assert.ok(lines.includes(`  fix:   ${found.hint}`));
    const call = '         Java and Kotlin: Cipher.getInstance("RSA/ECB/PKCS1Padding")';
    assert.ok(lines.includes(call));
  });

  it('says why nothing or not everything ran, and what of the known failures is not as it was', () => {
    const one = { check: 'protocol/tls', reason: '', until: '2026-05-31' };
    const changes = { unreachable: refused, interrupted: true, stale: [one], expired: [one] };
    const untested = { ...skipped, id: 'signin/path', untested: true } as const;
    const lines = human(run([untested], changes));
    assert.deepEqual(lines.slice(lines.lastIndexOf('') + 1, -2), [
      '1 decision of the sign-in was not tested: signin/path.',
      'The endpoint could not be reached: Nothing listens there.',
      'The run was interrupted; the remaining checks were skipped.',
      'The known failure protocol/tls no longer fails: remove it from the list.',
      'The known failure protocol/tls was accepted until 2026-05-31.',
    ]);
  });

  it('escapes what would move the cursor', () => assertHarmless(human(attacked).join('\n')));
});

describe('the JUnit report', () => {
  it('counts failures, errors and skipped, and names everything', () => {
    const [, , suite = '', ...lines] = verifyJunit(all).trim().split('\n');
    assert.match(suite, /^<testsuite id="0" name="authcli verify" .* hostname="localhost"/);
    assert.match(suite, / timestamp="2026-01-02T03:04:05" tests="5" failures="1" errors="0"/);
    assert.match(suite, / skipped="2" time="1\.23"><properties><property name="url" value="http:/);
    const named = /^<testcase classname="authcli\.([\w-]+)" name="(\1\/[\w-]+)" time="0.01"/;
    assert.deepEqual(
      lines.map((line) => line.replace(named, '$2 ').replaceAll(/&#10;[^<]*/g, '')),
      [
        'key-exchange/answers-success />',
        'key-exchange/wraps-key ><failure message="The key was wrapped with OAEP."' +
          ' type="oaep-sha1">must wrap the key</failure></testcase>',
        'protocol/tls />',
        `registration/latest-key ><skipped message="${reason}"/></testcase>`,
        'key-exchange/key-sizes ><skipped message="Known failure: the module takes 2048 bits"/>' +
          '</testcase>',
        '<system-out>warning: protocol/tls</system-out><system-err/></testsuite>',
        '</testsuites>',
      ],
    );
  });

  it('is well-formed whatever a peer says', () => {
    const xml = verifyJunit(attacked);
    assert.doesNotMatch(xml, /<script>/);
    assertHarmless(xml.replaceAll('\u202e', ''));
    assert.doesNotMatch(xml.replace(/&#\d+;/g, ''), /&/);
    assert.equal(
      escapeXml('a<b>&"\'\u0000\ufffe\ud800😀\t'),
      'a&#60;b&#62;&#38;&#34;&#39;\ufffd\ufffd\ufffd😀&#9;',
    );
    assert.equal(element('a', { b: '"', c: undefined, d: 0 }, 'x'), '<a b="&#34;" d="0">x</a>');
  });
});

describe('the Markdown report', () => {
  it('begins with the verdict and folds all checks away', () => {
    const text = verifyMarkdown(all);
    assert.match(text, /^## authcli verify: 1 passed, 2 failed \(1 known\), 1 warned, 1 skipped\n/);
    assert.match(text, /### ❌ key-exchange\/wraps-key \(must\)/);
    assert.match(text, /\| ➖ registration\/latest-key \| .* \| It has no control \\# here\. \|/);
  });

  it('lets no text of a peer become markup', () => {
    const curl = 'echo ```` x';
    const text = verifyMarkdown(run([{ ...attacked.checks[0], repeat: { curl } } as never]));
    assert.doesNotMatch(text, /<script>|^::error/m);
    assert.match(text, /^`{5}sh\necho ```` x\n`{5}$/m);
    assertHarmless(text);
  });

  // As GitHub Flavored Markdown 6.9 and GitHub itself find them, behind any mark before them.
  const reaching = /(?:https?|ftp|xmpp|mailto):\/?\/?[\w[]|www\.|@[a-z\d]|#\d|\]\(|<[a-z!/]|!\[/i;
  for (const said of [
    ...['_HTTPS://evil.example', '*www.evil.example*', 'x@evil.example', 'acme/app#12'],
    ...['[here](//evil.example)', '![](//evil.example/pixel)', '<!-- evil -->'],
  ]) {
    it(`mentions no user and links nothing: ${said}`, () => {
      assert.match(said, reaching, 'it would as it is');
      const found = { code: 'not-json', message: said, hint: said, calls: {} } as const;
      const facts = { observed: said, expected: said, fix: said, diagnosis: found };
      const checks = [failedCheck({ ...facts, known: { check: '*', reason: said } })];
      const text = verifyMarkdown(run([...checks, { ...skipped, reason: said }]));
      const shown = text.split('\n').filter((line) => /evil|acme/.test(line));
      assert.ok(shown.length >= 5, text);
      for (const line of shown) assert.doesNotMatch(line.replace(/\\[<[\]]/g, ''), reaching);
    });
  }
});

describe('the annotations for GitHub', () => {
  it('are an error for what fails, a warning for the rest, and the verdict', () => {
    assert.deepEqual(
      verifyGithub(all).map((line) => line.replace(/%0A.*/s, '')),
      [
        '::error title=key-exchange/wraps-key::must wrap the key',
        '::warning title=key-exchange/key-sizes::must take long keys',
        '::warning title=protocol/tls::should use TLS',
        'authcli verify: 1 passed, 2 failed (1 known), 1 warned, 1 skipped.',
      ],
    );
  });

  it('have an error where no check could run', () => {
    const controls = [failedCheck({ diagnosis: undefined, observed: 'HTTP 500' })];
    assert.deepEqual(verifyGithub(run([skipped], { controls })), [
      `::error title=authcli verify::The run shows nothing. ${reason} HTTP 500`,
      'authcli verify: 1 skipped.',
    ]);
  });

  it('are one line each, so that no text begins a command', () => {
    for (const line of verifyGithub(attacked)) assert.doesNotMatch(line, /[\r\n]/);
  });
});

/** Nothing in it moves a cursor or turns the reading direction. */
function assertHarmless(text: string): void {
  for (const character of ['\u001b', '\u202e']) assert.ok(!text.includes(character));
}
