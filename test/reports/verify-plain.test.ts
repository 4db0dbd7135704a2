import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnose } from '../../src/diagnosis/catalogue.ts';
import { plainLook } from '../../src/reports/failure-text.ts';
import type { VerifyDocument } from '../../src/reports/verify-document.ts';
import { verifyGithub } from '../../src/reports/verify-github.ts';
import { verifyLines } from '../../src/reports/verify-human.ts';
import { element, escapeXml, verifyJunit } from '../../src/reports/verify-junit.ts';
import { reportKinds } from '../../src/reports/verify-kinds.ts';
import { verifyMarkdown } from '../../src/reports/verify-markdown.ts';
import { check, failedCheck, run } from '../support/verify-sample.ts';

const warned = failedCheck({
  id: 'protocol/tls',
  level: 'should',
  status: 'warned',
  diagnosis: undefined,
});
const skipped = check({
  id: 'registration/latest-key',
  status: 'skipped',
  reason: 'It has no control # here.',
});
const known = failedCheck({
  id: 'key-exchange/key-sizes',
  known: { check: 'key-exchange/*', reason: 'the module takes 2048 bits' },
});
const refused = {
  code: 'refused',
  message: 'Nothing listens there.',
  hint: '',
  calls: {},
} as const;
const all = run([check(), failedCheck(), warned, skipped, known]);
const human = (document: VerifyDocument, look = plainLook) => verifyLines(document, look);

/** Text of a peer that tries to be more than text. */
const hostile = '\u001b[31m\n::error::x <script>&"\'`|* \u202e';
const attacked = run([
  failedCheck({
    observed: hostile,
    fix: hostile,
    diagnosis: { code: 'not-json', message: hostile, hint: hostile, calls: {} },
  }),
]);

describe('failures are listed worst first, and warnings behind them', () => {
  const document = run([
    failedCheck({ id: 'signin/path' }),
    failedCheck({ id: 'signin/stays-on-https', harm: 'leaks' }),
    failedCheck({ id: 'signin/secrets-not-shown', harm: 'leaks', status: 'warned' }),
    failedCheck({ id: 'signin/rejects-token-code', harm: 'lets-in' }),
    failedCheck({ id: 'signin/exact-user-code', harm: 'lets-in' }),
  ]).checks.map((each) => ({ ...each, fix: each.id }));
  const order = [
    'signin/rejects-token-code',
    'signin/exact-user-code',
    'signin/stays-on-https',
    'signin/path',
    'signin/secrets-not-shown',
  ];
  for (const [name, text, pattern] of [
    ['for people', human(run(document)).join('\n'), /^[✗!] (signin\S+)/gm],
    ['in Markdown', verifyMarkdown(run(document)), /^### \S+ (signin\S+)/gm],
    [
      'in HTML',
      reportKinds.html({ document: run(document) } as never),
      /<p class="muted"><code>(signin[^<]+)/g,
    ],
    ['on GitHub', verifyGithub(run(document)).join('\n'), /^::\w+ title=(signin\S+?)::/gm],
  ] as const) {
    it(name, () => {
      assert.deepEqual(
        [...text.matchAll(pattern)].map(([, id]) => id),
        order,
      );
    });
  }
});

describe('the report for people', () => {
  it('shows a failure with its cause and its fix', () => {
    const lines = human(run([failedCheck()]));
    const start = lines.findIndex((line) => line.startsWith('✗ key-exchange/wraps-key'));
    const labels = lines.slice(start + 1, lines.indexOf('', start)).map((line) => line.slice(2, 9));
    assert.deepEqual(labels, ['cause: ', 'fix:   ']);
  });

  it('says what was expected and what came of a failure without a diagnosis', () => {
    const text = human(run([failedCheck({ diagnosis: undefined })])).join('\n');
    assert.match(text, /^ {2}cause: Expected Base64.*; got 344.*\.$/m);
  });

  it('shows one cause of several failures once, then the ids', () => {
    const second = failedCheck({ id: 'key-exchange/key-length' });
    const lines = human(run([failedCheck(), second, warned]));
    assert.equal(lines.filter((line) => line.startsWith('  cause: ')).length, 2);
    assert.ok(lines.includes('  also:  key-exchange/key-length'));
  });

  it('adds section, expected, observed, curl and the command under --verbose', () => {
    const lines = human(all, { ...plainLook, detail: 'verbose' });
    const start = lines.indexOf('  key-exchange/wraps-key');
    const words = lines
      .slice(start, start + 6)
      .map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '));
    assert.deepEqual(words, [
      'key-exchange/wraps-key',
      'section 2.2:',
      'expected Base64',
      'observed 344',
      'curl --request',
      'authcli verify',
    ]);
  });

  it('shows each check in a line, skipped ones with the reason, known ones as such', () => {
    const text = human(all).join('\n');
    assert.match(text, /✓ key-exchange\/answers-success +must accept a valid key exchange/);
    assert.match(text, /· registration\/latest-key +skipped: It has no control # here\./);
    assert.match(text, /✗ key-exchange\/key-sizes .*\(known: the module takes 2048 bits\)/);
  });

  it('says a reason once, where it is that of several in a row', () => {
    const next = { ...skipped, id: 'registration/key-of-that-user' };
    const text = human(run([check(), skipped, next, { ...skipped, reason: 'Another.' }])).join(
      '\n',
    );
    assert.match(text, /· registration\/latest-key +skipped: It has no control # here\.\n/);
    assert.match(text, /· registration\/key-of-that-user +skipped for the same reason\n/);
    assert.match(text, /skipped: Another\./);
  });

  it('ends with the verdict', () => {
    assert.equal(human(all).at(-1), '✗ 1 passed, 2 failed (1 known), 1 warned, 1 skipped.');
    assert.equal(human(run([check()])).at(-1), '✓ 1 passed.');
    assert.equal(human(run([check(), known, warned])).at(-1)?.[0], '✓');
    assert.equal(human(run([skipped])).at(-1)?.[0], '✗');
    const stale = [{ check: 'protocol/tls', reason: 'x' }];
    assert.equal(human(run([check()], { stale })).at(-1)?.[0], '✗');
  });

  it('gives the right call of each stack a line of its own', () => {
    const diagnosis = diagnose('oaep-sha1', 'm');
    const failed = failedCheck({ diagnosis, fix: diagnosis.hint });
    const lines = human(run([failed])).map((line) => line.trim());
    assert.ok(lines.includes(`fix:   ${diagnosis.hint}`));
    assert.ok(lines.includes('Java and Kotlin: Cipher.getInstance("RSA/ECB/PKCS1Padding")'));
  });

  it('says why nothing or not everything ran', () => {
    const text = human(run([skipped], { unreachable: refused, interrupted: true })).join('\n');
    assert.match(text, /could not be reached: Nothing listens there\./);
    assert.match(text, /was interrupted/);
  });

  it('escapes what would move the cursor', () => {
    assertHarmless(human(attacked).join('\n'));
  });
});

describe('the JUnit report', () => {
  it('counts failures, errors and skipped, and names everything', () => {
    const xml = verifyJunit(all);
    assert.match(xml, /<testsuite [^>]*tests="5" failures="1" errors="0" skipped="2" time="/);
    assert.match(xml, /timestamp="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"/);
    assert.match(
      xml,
      /<testcase classname="authcli\.key-exchange" name="key-exchange\/wraps-key" time="0\.01"><failure message="The key was wrapped with OAEP\." type="oaep-sha1">/,
    );
    assert.match(xml, /<skipped message="It has no control # here\."\/>/);
    assert.match(xml, /<skipped message="Known failure: the module takes 2048 bits"\/>/);
    assert.match(xml, /<system-out>.*warning: protocol\/tls/);
  });

  it('has an error where nothing responded', () => {
    const xml = verifyJunit(run([failedCheck({ diagnosis: refused })], { unreachable: refused }));
    assert.match(xml, /failures="0" errors="1"/);
    assert.match(xml, /<error message="Nothing listens there\." type="refused">/);
  });

  it('has its elements in the order of the schemas', () => {
    const names = [...verifyJunit(all).matchAll(/<(\w[\w-]*)/g)].map(([, name]) => name);
    const order = [
      'testsuites',
      'testsuite',
      'properties',
      'property',
      'testcase',
      'system-out',
      'system-err',
    ];
    const seen = names.filter((name) => order.includes(name ?? ''));
    assert.deepEqual([...new Set(seen)], order);
  });

  it('is well-formed whatever a peer says', () => {
    const xml = verifyJunit(attacked);
    assert.doesNotMatch(xml, /<script>/);
    assertHarmless(xml.replaceAll('\u202e', ''));
    assert.doesNotMatch(xml.replace(/&#\d+;/g, ''), /&/);
  });
});

describe('escapeXml and element', () => {
  it('replace what XML 1.0 has no place for', () => {
    assert.equal(
      escapeXml('a<b>&"\'\u0000\ufffe\ud800😀\t'),
      'a&#60;b&#62;&#38;&#34;&#39;\ufffd\ufffd\ufffd😀&#9;',
    );
    assert.equal(element('a', { b: '"', c: undefined, d: 0 }, 'x'), '<a b="&#34;" d="0">x</a>');
    assert.equal(element('a', {}), '<a/>');
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
    const text = verifyMarkdown(attacked);
    assert.doesNotMatch(text, /<script>|^::error/m);
    assertHarmless(text);
  });
});

describe('the annotations for GitHub', () => {
  it('are an error for what fails, a warning for the rest, and the verdict', () => {
    assert.deepEqual(
      verifyGithub(all).map((line) => line.replace(/::[^:]*$/s, '').slice(0, 40)),
      [
        '::error title=key-exchange/wraps-key::en',
        '::warning title=key-exchange/key-sizes::',
        '::warning title=protocol/tls::enc_partne',
        'authcli verify: 1 passed, 2 failed (1 kn',
      ],
    );
  });

  it('have an error where no check could run', () => {
    const skipped = check({ id: 'a/b', status: 'skipped', reason: 'It has no control here.' });
    assert.deepEqual(verifyGithub(run([skipped])), [
      '::error title=authcli verify::The run shows nothing. It has no control here.',
      'authcli verify: 1 skipped.',
    ]);
  });

  it('are one line each, so that no text begins a command', () => {
    for (const line of verifyGithub(attacked)) assert.doesNotMatch(line, /[\r\n]/);
  });
});

describe('the Markdown of what a peer says', () => {
  // As GitHub Flavored Markdown 6.9 and GitHub itself find them, behind any mark before them.
  const reaching = /(?:https?|ftp|xmpp|mailto):\/?\/?[\w[]|www\.|@[a-z\d]|#\d|\]\(|<[a-z!/]|!\[/i;
  for (const said of [
    'https://evil.example/x',
    '_HTTPS://evil.example',
    '*www.evil.example*',
    '_www.evil.example',
    'ftp://evil.example',
    '@acme/security',
    'x@evil.example',
    'acme/app#12',
    '[here](//evil.example)',
    '![](//evil.example/pixel)',
    '<a href="//evil.example">',
    '<!-- evil -->',
  ]) {
    it(`mentions no user and links nothing: ${said}`, () => {
      assert.match(said, reaching, 'it would as it is');
      const diagnosis = { code: 'not-json', message: said, hint: said, calls: {} } as const;
      const known = { check: '*', reason: said };
      const failed = failedCheck({ observed: said, expected: said, fix: said, diagnosis, known });
      const skippedCheck = check({ id: 'a/b', status: 'skipped', reason: said });
      const text = verifyMarkdown(run([failed, skippedCheck]));
      const shown = text.split('\n').filter((line) => /evil|acme/.test(line));
      assert.ok(shown.length >= 5, text);
      for (const line of shown) {
        const unescaped = line.replace(/\\[<[\]]/g, '');
        assert.doesNotMatch(unescaped, reaching);
      }
    });
  }
});

/** Nothing in it moves a cursor or turns the reading direction. */
function assertHarmless(text: string): void {
  for (const character of ['\u001b', '\u202e']) assert.ok(!text.includes(character));
}
