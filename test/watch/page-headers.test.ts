import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { pagePolicy } from '../../src/watch/page-access.ts';

describe("the page's Content Security Policy", () => {
  const script = 'const a = "1";\nstart(a);';
  const html = `<style>p { color: red }</style><script type="module">${script}</script>`;
  const policy = pagePolicy(html);
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');

  it('allows its own script and style by their hashes, and its own origin', () => {
    assert.ok(policy.includes(`script-src 'sha256-${hash(script)}';`));
    assert.ok(policy.includes(`style-src 'sha256-${hash('p { color: red }')}';`));
    assert.match(policy, /connect-src 'self'/);
  });

  it('forbids everything else', () => {
    assert.match(policy, /^default-src 'none'; /);
    for (const part of [
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  });
});
