import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from '../../../src/reports/html/markup.ts';
import { commandLine } from '../../../src/reports/html/words.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { fc } from '../../support/fast-check.ts';

describe('command lines in a page', () => {
  it('keep every character, and their flags in one piece', () => {
    const line = "authcli  verify --url 'a  b' ";
    const { text } = commandLine(line);
    assert.equal(text.replace(/<[^>]+>/g, '').replaceAll('&#39;', "'"), line);
    assert.ok(text.includes('<span class="word">--url</span>'));
  });
});

describe('HTML templates', () => {
  it('escape what is put in, and keep markup', () => {
    const inner = html`<b>${'a<b'}</b>`;
    assert.equal(
      html`<p title="${'"x"'}">${inner}${[1, "'", undefined, false]}</p>`.text,
      '<p title="&quot;x&quot;"><b>a&lt;b</b>1&#39;</p>',
    );
  });

  it('show controls by their names', () => {
    assert.equal(html`${'a\u202eb\n\u0007'}`.text, 'a\\u202eb\\n\\u0007');
  });

  it('let no text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const { text: escaped } = html`${text}`;
        assert.doesNotMatch(escaped, /[<>"'\p{Cc}\p{Bidi_Control}]|&(?!(?:amp|lt|gt|quot|#39);)/u);
      }),
    );
  });
});
