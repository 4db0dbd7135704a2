import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { html } from '../../src/reports/html.ts';
import { loadHtml } from '../../src/reports/load.ts';
import { verifyHtml } from '../../src/reports/verify-html.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { hostileLoad, loadDocument } from '../support/load-sample.ts';
import { check, failedCheck, hostileRun, run } from '../support/verify-sample.ts';

const skipped = check({ id: 'a/b', status: 'skipped', reason: 'No control.', exchanges: [] });
const warned = failedCheck({ id: 'protocol/json', status: 'warned', level: 'should' });
const failing = run([check(), failedCheck(), warned, skipped]);

const pages = {
  failing: verifyHtml(failing),
  empty: verifyHtml(run([])),
  hostile: verifyHtml(hostileRun()),
  load: loadHtml(loadDocument({ failed: 2 })),
  'hostile load': loadHtml(hostileLoad()),
};

describe('HTML templates', () => {
  it('escape what is put in, and keep markup', () => {
    const inner = html`<b>${'a<b'}</b>`;
    assert.equal(
      html`<p title="${'"x"'}">${inner}${[1, "'", undefined, false]}</p>`.text,
      '<p title="&#34;x&#34;"><b>a&#60;b</b>1&#39;</p>',
    );
    assert.equal(html`${'a\u202eb\n\u0007'}`.text, 'a\\u202eb\\n\\u0007');
  });

  it('let no text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(html`${text}`.text, /[<>"'\p{Cc}\p{Bidi_Control}]|&(?!#\d\d;)/u);
      }),
    );
  });
});

describe('HTML reports', () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`are one file that runs and loads nothing but its style sheet: ${name}`, () => {
      const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
      assert.ok(page.includes(`content="${policy.replaceAll("'", '&#39;')}"`));
      const tags = page.replaceAll(/"[^"]*"/g, '""');
      assert.doesNotMatch(tags, /<(?:script|link|img|iframe|object|base|form)/);
      assert.doesNotMatch(tags, /<[a-z][^<>]*\s(?:src|style|on\w+)=/);
      assert.doesNotMatch(style, /@import|url\(/);
      assert.doesNotMatch(page, /href="[^#]|[\p{Bidi_Control}\u2028\u2029]|(?!\n)\p{Cc}/u);
    });

    it(`close what they open, and have what they point at: ${name}`, () => {
      const open: string[] = [];
      for (const [, end, tag = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
        if (['meta', 'br'].includes(tag)) continue;
        if (end === '') open.push(tag);
        else assert.equal(open.pop(), tag);
      }
      assert.deepEqual(open, []);
      const values = (attribute: string) =>
        [...page.matchAll(new RegExp(` ${attribute}="#?([^"]*)"`, 'g'))].map(([, value]) => value);
      const ids = values('id');
      assert.equal(new Set(ids).size, ids.length);
      for (const target of values('href')) assert.ok(ids.includes(target), target);
    });
  }

  it('show text of the other side as text', () => {
    for (const page of [pages.hostile, pages['hostile load']])
      assert.match(page, /&#60;script&#62;alert\(1\)&#60;\/script&#62;/);
  });

  it('show a failure with its facts, the call, the commands and the exchange', () => {
    const article = /<article[\s\S]*?<\/article>/.exec(pages.failing)?.[0] ?? '';
    const inOrder = [
      ...['enc_partner_key is wrapped', 'key-exchange/wraps-key', 'Section 2.2', 'Base64 of the'],
      ...['344 characters', 'oaep-sha1: The key was', 'Ask for PKCS #1.'],
      ...['curl --request POST', 'authcli verify', 'Host: localhost'],
    ];
    let from = 0;
    for (const part of inOrder) {
      from = article.indexOf(part, from);
      assert.notEqual(from, -1, part);
    }
  });

  it('say at their top how the run ended, in words and in colour', () => {
    const known = { check: 'key-exchange/wraps-key', reason: 'Fixed in May.', until: '2026-05-31' };
    for (const [document, verdict, tone] of [
      [run([check()]), '1 passed', 'passed'],
      [run([failedCheck({ known })]), '1 failed (1 known)', 'warned'],
      [failing, '1 passed, 1 failed, 1 warned, 1 skipped', 'failed'],
    ] as const) {
      const page = verifyHtml(document);
      assert.equal(/<h1>(.*)<\/h1>/.exec(page)?.[1], verdict);
      assert.ok(/<title>(.*)<\/title>/.exec(page)?.[1]?.includes(verdict));
      assert.ok(page.includes(`<header class="is-${tone}">`));
    }
  });
});
