import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { type DiagnosisCode, stacks } from '../../src/errors.ts';
import { callPanels, languageChooser } from '../../src/reports/html/languages.ts';
import type { Markup } from '../../src/reports/html/markup.ts';
import { verifyHtml } from '../../src/reports/verify-html.ts';
import {
  check,
  exchange,
  failedCheck,
  hostile,
  hostileRun,
  run,
} from '../support/verify-sample.ts';

/** Elements that have no end tag (HTML Standard 13.1.2). */
const voidElements = ['meta', 'input', 'br'];

/** The tags of a page; whatever the pattern doesn't know counts as text. */
function tagsOf(
  page: string,
): readonly { name: string; attributes: Map<string, string>; end: boolean }[] {
  return [...page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, slash, name = '', attributes = '']) => ({
      name,
      end: slash === '/',
      attributes: new Map(
        [...attributes.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g)].map((found) => [
          found[1] ?? '',
          found[2] ?? '',
        ]),
      ),
    }),
  );
}

function styleOf(page: string): string {
  return /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
}

function attribute(page: string, name: string): readonly string[] {
  return tagsOf(page).flatMap(({ attributes }) => attributes.get(name) ?? []);
}

const failing = run([
  check(),
  failedCheck(),
  failedCheck({ id: 'protocol/json-content-type', status: 'warned', level: 'should' }),
  check({
    id: 'registration/latest-key',
    status: 'skipped',
    reason: 'It has no control.',
    exchanges: [],
  }),
]);

const pages = {
  failing: verifyHtml(failing),
  passing: verifyHtml(run([check()])),
  empty: verifyHtml(run([])),
  hostile: verifyHtml(hostileRun()),
};

describe('the HTML report', () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`is one file that loads and runs nothing (${name})`, () => {
      const names = new Set(tagsOf(page).map((tag) => tag.name));
      for (const forbidden of [
        'script',
        'link',
        'img',
        'iframe',
        'object',
        'base',
        'form',
        'use',
      ]) {
        assert.equal(names.has(forbidden), false, forbidden);
      }
      assert.deepEqual(attribute(page, 'src'), []);
      assert.deepEqual(attribute(page, 'style'), []);
      assert.equal(
        attribute(page, 'href').every((target) => target.startsWith('#')),
        true,
      );
      const handlers = tagsOf(page).flatMap((tag) => [...tag.attributes.keys()]);
      assert.equal(
        handlers.some((key) => key.startsWith('on')),
        false,
      );
      assert.doesNotMatch(styleOf(page), /@import|url\(|expression|</);
    });

    it(`allows its style sheet alone (${name})`, () => {
      const [policy] = attribute(page, 'content');
      const hash = createHash('sha256').update(styleOf(page)).digest('base64');
      assert.equal(
        policy,
        `default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;`,
      );
    });

    it(`closes every element that it opens (${name})`, () => {
      const open: string[] = [];
      for (const tag of tagsOf(page.replace(/<[^>]*\/>/g, ''))) {
        if (voidElements.includes(tag.name)) continue;
        if (!tag.end) open.push(tag.name);
        else assert.equal(open.pop(), tag.name);
      }
      assert.deepEqual(open, []);
    });

    it(`has every anchor once, and every one that is pointed at (${name})`, () => {
      const ids = attribute(page, 'id');
      assert.equal(new Set(ids).size, ids.length);
      const targets = attribute(page, 'href').map((target) => target.slice(1));
      const named = [...attribute(page, 'for'), ...attribute(page, 'aria-labelledby'), ...targets];
      assert.deepEqual(
        named.filter((id) => !ids.includes(id)),
        [],
      );
    });
  }

  it('shows text of the other side as text, without controls', () => {
    assert.doesNotMatch(pages.hostile, /<script|<img|<!--/i);
    assert.doesNotMatch(pages.hostile, /[\p{Bidi_Control}\u2028\u2029]|(?!\n)\p{Cc}/u);
    assert.ok(pages.hostile.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
    assert.ok(pages.hostile.includes('\\u202etxt.exe'));
  });

  it('leaves what was redacted as it is', () => {
    const page = verifyHtml(
      run([failedCheck({ observed: 'the key [redacted]', evidence: '{"result":"[redacted]"}' })]),
    );
    assert.ok(page.includes('the key [redacted]'));
    assert.ok(page.includes('{&quot;result&quot;:&quot;[redacted]&quot;}'));
  });

  it('shows a failure in the order of the contract', () => {
    const card = /<article[\s\S]*?<\/article>/.exec(pages.failing)?.[0] ?? '';
    const parts = [
      'enc_partner_key is wrapped',
      'key-exchange/wraps-key',
      'Section 2.2',
      'Base64 of the key under',
      '344 characters',
      'oaep-sha1',
      'The key was wrapped with OAEP.',
      'Ask for PKCS #1.',
      'curl --request POST',
      'authcli verify',
    ];
    const places = parts.map((part) => card.replace(/<\/?span[^>]*>/g, '').indexOf(part));
    assert.equal(places.includes(-1), false, `${places}`);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });

  it('has one choice of a language for the whole page, and a panel for the call of each', () => {
    const choosers = pages.failing.match(/<fieldset class="languages"[\s\S]*?<\/fieldset>/g) ?? [];
    assert.equal(choosers.length, 1);
    const [chooser = ''] = choosers;
    const radios = tagsOf(chooser).filter(({ name }) => name === 'input');
    assert.deepEqual(radios.map(({ attributes }) => attributes.has('checked')).indexOf(true), 0);
    assert.equal(new Set(radios.map(({ attributes }) => attributes.get('name'))).size, 1);
    for (const title of ['Java', 'Kotlin', 'Node', 'Python', 'PHP', 'Go', '.NET', 'Ruby']) {
      assert.ok(chooser.includes(`>${title}</label>`), title);
    }
    const cards = pages.failing.match(/<article[\s\S]*?<\/article>/g) ?? [];
    assert.equal(cards.length, 2);
    for (const card of cards) {
      for (const stack of stacks) assert.equal(card.split(`for-${stack}`).length - 1, 1, stack);
      for (const call of new Set(Object.values(catalogue['oaep-sha1'].calls ?? {}))) {
        assert.ok(
          card.includes(
            call.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
          ),
          call,
        );
      }
    }
  });

  it('shows the first call in a language that has none of its own', () => {
    const page = callPanels({ java: 'j()', python: 'p()' })?.text ?? '';
    assert.match(page, /class="panel for-java for-kotlin [^"]*for-ruby"/);
    assert.match(page, /class="panel for-python"/);
    assert.equal(languageChooser([{}]), undefined);
    const chooser = languageChooser([{ java: 'j()', python: 'p()' }], 'python') as Markup;
    assert.match(chooser.text, /id="stack-python" checked/);
  });

  it('can show what any diagnosis brings with it', () => {
    for (const code of Object.keys(catalogue) as DiagnosisCode[]) {
      const page = verifyHtml(
        run([failedCheck({ diagnosis: { code, message: 'Seen.', hint: '', calls: {} } })]),
      );
      assert.equal(page.includes('class="panel'), catalogue[code].calls !== undefined, code);
    }
  });

  const known = { check: 'key-exchange/wraps-key', reason: 'Fixed in May.', until: '2026-05-31' };
  for (const [title, document, heading] of [
    ['passed', run([check()]), 'All 1 check passed'],
    [
      'partly judged',
      run([check(), check({ status: 'skipped', reason: 'No.' })]),
      '1 of 2 checks passed',
    ],
    ['failed', failing, '1 of 4 checks failed'],
    ['warned', run([check(), failedCheck({ status: 'warned' })]), 'No check failed; 1 warning'],
    ['known', run([failedCheck({ known })]), 'Nothing new failed; 1 known failure'],
    ['stale', run([check()], { stale: [known] }), 'A known failure no longer fails'],
    [
      'nothing judged',
      run([check({ status: 'skipped', reason: 'No.' })]),
      'No check could be judged',
    ],
    ['interrupted', run([check()], { interrupted: true }), 'The run was interrupted'],
    [
      'unreachable',
      run([failedCheck()], {
        unreachable: { code: 'refused', message: 'Nobody listens.', hint: 'Start it.', calls: {} },
      }),
      'The endpoint could not be reached',
    ],
  ] as const) {
    it(`says at its top how the run ended: ${title}`, () => {
      const page = verifyHtml(document);
      assert.equal(/<h1>(.*)<\/h1>/.exec(page)?.[1], heading);
      assert.ok(/<title>(.*)<\/title>/.exec(page)?.[1]?.includes(heading));
    });
  }

  it('draws what a check sent, a missing response included', () => {
    const page = verifyHtml(
      run([
        failedCheck({
          exchanges: [
            exchange(),
            exchange({
              operation: 'registration',
              http_status: null,
              code: null,
              failure: 'timeout',
              is_evidence: true,
            }),
          ],
        }),
      ]),
    );
    const drawing = /<svg class="sequence"[\s\S]*?<\/svg>/.exec(page)?.[0] ?? '';
    assert.match(drawing, /✓ HTTP 200, code &quot;0000&quot;, 12 ms/);
    assert.match(drawing, /✗ no response: timeout, 12 ms/);
    assert.match(drawing, /class="lost"/);
    assert.match(drawing, /aria-label="1\. key exchange: HTTP 200/);
  });

  it('draws of many requests those around the one that shows the fault', () => {
    const exchanges = Array.from({ length: 30 }, (_, index) =>
      exchange({ code: `c${index}`, ...(index === 20 && { is_evidence: true as const }) }),
    );
    const page = verifyHtml(run([failedCheck({ exchanges })]));
    const drawing = /<svg class="sequence"[\s\S]*?<\/svg>/.exec(page)?.[0] ?? '';
    assert.match(drawing, /c20&quot;/);
    assert.doesNotMatch(drawing, /c12&quot;|c22&quot;/);
    assert.match(page, /22 more requests of this check not shown/);
  });

  it('plots every request, and the limit only once a request comes near it', () => {
    const times = (...durations: number[]) =>
      verifyHtml(
        run([check({ exchanges: durations.map((duration_ms) => exchange({ duration_ms })) })]),
      );
    const plotOf = (page: string): string =>
      /<svg class="plot"[\s\S]*?<\/svg>/.exec(page)?.[0] ?? '';
    assert.equal(plotOf(times(1, 2, 3)).split('<circle').length - 1, 3);
    assert.doesNotMatch(plotOf(times(1, 2, 900)), /class="limit"/);
    assert.match(plotOf(times(1, 2, 1100)), /class="limit"/);
    assert.doesNotMatch(plotOf(times(0, 0)), /NaN|Infinity/);
    assert.match(times(1, 2, 40), /3 requests: median \(p50\) 2 ms, p90 40 ms, max 40 ms\./);
  });

  it('keeps a hostile text from becoming an anchor', () => {
    assert.equal(
      attribute(pages.hostile, 'id').some((id) => /[^A-Za-z0-9-]/.test(id)),
      false,
    );
    assert.ok(hostile.length > 0);
  });
});
