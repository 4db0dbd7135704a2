import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VerifyDocument } from '../../src/conformance/document.ts';
import { diagnose } from '../../src/diagnosis/catalogue.ts';
import { plainLook } from '../../src/reports/failure-text.ts';
import { verifyGithub } from '../../src/reports/verify-github.ts';
import { verifyHtml } from '../../src/reports/verify-html.ts';
import { verifyLines } from '../../src/reports/verify-human.ts';
import { verifyJunit, xml } from '../../src/reports/verify-junit.ts';
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
  confidence: 'certain',
  message: 'Nothing listens there.',
  hint: '',
  calls: {},
} as const;
const all = run([check(), failed, warned, skipped, known], { cipher: 'aes-256-cbc' });
const human = (document: VerifyDocument, look = plainLook()) => verifyLines(document, look);

/** Text of a peer that tries to be more than text. */
const hostile = '\u001b[31m\n::error::x <script>&"\'`|* \u202e';
const said = { message: hostile, hint: hostile, calls: {} };
const diagnosis = { code: 'not-json', confidence: 'certain', ...said } as const;
const attacked = run([failedCheck({ observed: hostile, fix: hostile, diagnosis })]);

describe('the report for people', () => {
  it('is a line for each group, each cause with its fix once, and the verdict', () => {
    assert.deepEqual(human(all), [
      'Verifying http://localhost:8080/callback, requirements 1',
      '  ✗ key-exchange  1 of 3 passed',
      '  ! protocol      0 of 1 passed',
      '  · registration  0 of 1 passed',
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
      '1 check was skipped (registration/latest-key): It has no control # here.',
      '5 requests in 1.23 s; 2 test users (authcli-a …); seed a1b2c3d4; cipher aes-256-cbc',
      '✗ 1 passed, 2 failed (1 known), 1 warned, 1 skipped.',
    ]);
  });

  it('has one block for what the same code does right, and one line for what was skipped for it', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `signin/${name}`);
    const lacking = { ...skipped, lacks: 'signin/a' };
    const same = ids.map((id, at) => {
      const diagnosis = { ...diagnose('oaep-sha1', id), hint: id };
      return failedCheck({ id, fix: id, diagnosis: at < 3 ? diagnosis : undefined });
    });
    const lines = human(run([...same, lacking, lacking]));
    assert.deepEqual(lines.slice(3, 9), [
      '',
      '✗ signin/a  enc_partner_key is wrapped with the public_key (must)',
      '  cause: signin/a',
      '  fix:   signin/a',
      '  also:  signin/b, signin/c',
      '  skipped for it:  2 checks',
    ]);
    const blocks = lines.filter((line) => line.startsWith('✗ signin/'));
    assert.equal(blocks.length, 5);
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

  it('ends with the verdict', () => {
    const stale = [{ check: 'protocol/tls', reason: 'x' }];
    for (const [document, verdict] of [
      [run([check()]), '✓ 1 passed.'],
      [run([check(), known, warned]), '✓ 1 passed, 1 failed (1 known), 1 warned.'],
      [run([skipped]), '✗ 1 skipped.'],
      [run([check(), { ...skipped, status: 'incomplete' }]), '✗ 1 passed, 1 incomplete.'],
      [run([check()], { stale }), '✗ 1 passed.'],
      [run([check()], { interrupted: true }), '✗ 1 passed.'],
      [run([check()], { unreachable: refused }), '✗ 1 passed.'],
    ] as const)
      assert.equal(human(document).at(-1), verdict);
  });

  it('gives the call in the language that is known, once, and none in another', () => {
    const found = [failedCheck({ diagnosis: diagnose('oaep-sha1', 'm') })];
    const call = /Java: Cipher\.getInstance\("RSA\/ECB\/PKCS1Padding"\)/g;
    const shown = human(run([...found, ...found]), plainLook('java')).join('\n');
    assert.equal(shown.match(call)?.length, 1);
    assert.doesNotMatch(human(run(found)).join('\n'), /Cipher|Java/);
    for (const report of [verifyJunit, verifyMarkdown, verifyHtml]) {
      assert.ok(report(run(found, { stack: 'java' })).includes('Cipher.getInstance'));
      assert.ok(!report(run(found)).includes('getInstance'));
    }
  });

  it('says why nothing or not everything ran, and what of the known failures is not as it was', () => {
    const one = { check: 'protocol/tls', reason: '', until: '2026-05-31' };
    const changes = { unreachable: refused, interrupted: true, stale: [one], expired: [one] };
    const lines = human(run([skipped], changes));
    assert.deepEqual(lines.slice(lines.lastIndexOf('') + 1, -2), [
      'The endpoint could not be reached: Nothing listens there.',
      'The run was interrupted; the remaining checks were skipped.',
      'The known failure protocol/tls no longer fails: remove it from the list.',
      'The known failure protocol/tls was accepted until 2026-05-31.',
    ]);
  });

  it('says which requirements were not tested and why, and that the sign-in was not checked', () => {
    const known = { check: 'signin/path', reason: 'x' };
    const untested = ['a/b', 'a/c'].map((id) => ({
      ...skipped,
      id,
      status: 'incomplete' as const,
    }));
    const expected = { ...skipped, id: 'signin/path', status: 'incomplete', known } as const;
    const lines = human(run([check(), ...untested, expected], { sign_in: 'not-checked' }));
    assert.deepEqual(lines.slice(lines.lastIndexOf('') + 1, -2), [
      `2 requirements were not tested (a/b, a/c): ${reason}`,
      'The sign-in was not checked.',
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
    const text = verifyJunit(attacked);
    assert.doesNotMatch(text, /<script>/);
    assertHarmless(text);
    assert.doesNotMatch(text.replace(/&#\d+;/g, ''), /&/);
    assert.equal(
      xml`${'a<b>&"\'\u0000\ufffe\ud800😀\t'}`.text,
      'a&#60;b&#62;&#38;&#34;&#39;\\u0000\ufffd\\ud800😀&#9;',
    );
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
      const found = { ...diagnosis, message: said, hint: said };
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
        'authcli verify, requirements 1: 1 passed, 2 failed (1 known), 1 warned, 1 skipped.',
      ],
    );
  });

  it('have an error where a requirement was not tested', () => {
    const untested = { ...skipped, status: 'incomplete' } as const;
    const error = '::error title=authcli verify::Not tested: registration/latest-key.';
    assert.ok(verifyGithub(run([check(), untested])).includes(error));
  });

  it('have an error where no check could run', () => {
    const controls = [failedCheck({ diagnosis: undefined, observed: 'HTTP 500' })];
    assert.deepEqual(verifyGithub(run([skipped], { controls })), [
      `::error title=authcli verify::The run shows nothing. ${reason} HTTP 500`,
      'authcli verify, requirements 1: 1 skipped.',
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
