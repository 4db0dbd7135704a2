import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { enterPage, pagePolicy } from '../../src/page/access.ts';

const token = 'token-of-this-run-0123456789';
const door = { origin: 'http://127.0.0.1:8080', token };

interface Changes {
  readonly method?: string;
  readonly path?: string;
  readonly peer?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

function ask({ method = 'GET', path = '', headers = {}, ...rest }: Changes): EmulatorRequest {
  const given = Object.entries({ host: '127.0.0.1:8080', ...headers });
  return {
    method,
    path: `/_authcli/ui/${token}/${path}`,
    headers: Object.fromEntries(
      given.filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
    peer: 'peer' in rest ? rest.peer : '127.0.0.1',
    body: new Uint8Array(),
  };
}

const own = { origin: door.origin, 'sec-fetch-site': 'same-origin' };
const site = (value: string, dest?: string) => ({
  headers: { 'sec-fetch-site': value, ...(dest && { 'sec-fetch-dest': dest }) },
});

const entered: readonly (readonly [who: string, changes: Changes, path: string])[] = [
  ['the page, by a link of another site', site('cross-site', 'document'), ''],
  ['the page, by a browser that tells nothing', {}, ''],
  ['events', { path: 'events', ...site('same-origin') }, 'events'],
  ['a change by the page', { method: 'POST', path: 'faults', headers: own }, 'faults'],
  ['an older browser', { method: 'DELETE', path: 'x', headers: { origin: door.origin } }, 'x'],
  ['IPv6 loopback', { peer: '::1' }, ''],
  ['IPv4 loopback in IPv6', { peer: '::ffff:127.0.0.1' }, ''],
];

const anotherName = /not available under another name/;
const refused: readonly (readonly [who: string, changes: Changes, message: RegExp])[] = [
  ['another machine', { peer: '192.168.1.7' }, /this machine/],
  ['nobody knows who', { peer: undefined }, /this machine/],
  ['localhost, which is not its name', { headers: { host: 'localhost:8080' } }, anotherName],
  ['another port', { headers: { host: '127.0.0.1:8081' } }, anotherName],
  ['no host', { headers: { host: undefined } }, anotherName],
  ['a proxy', { headers: { forwarded: 'for=203.0.113.7' } }, /through a proxy/],
  ['a page of another port', { headers: { origin: 'http://127.0.0.1:8081' } }, /other pages/],
  ['a page of no origin', { headers: { origin: 'null' } }, /other pages/],
  ['a change without an origin', { method: 'POST', path: 'faults' }, /other pages/],
  ['events for another site', { path: 'events', ...site('cross-site') }, /other sites/],
  ['events as a document', { path: 'events', ...site('none', 'document') }, /other sites/],
  ['the page in a frame', site('cross-site', 'iframe'), /other sites/],
];

describe('the way into the page', () => {
  for (const [who, changes, path] of entered) {
    it(`is open to ${who}`, () => assert.deepEqual(enterPage(ask(changes), door), { path }));
  }

  for (const [who, changes, message] of refused) {
    it(`is closed to ${who}`, () => {
      const response = enterPage(ask(changes), door);
      assert.ok('refused' in response);
      assert.match(response.refused, message);
    });
  }

  for (const given of ['', token.slice(0, -1), `${token}x`, token.toUpperCase()]) {
    it(`is closed to the token ${JSON.stringify(given)}`, () => {
      const response = enterPage({ ...ask({}), path: `/_authcli/ui/${given}/` }, door);
      assert.ok('refused' in response);
      assert.match(response.refused, /to another run/);
    });
  }
});

describe("the page's Content Security Policy", () => {
  it('allows its own script, style and origin, and nothing else', () => {
    const script = 'const a = "1";\nstart(a);';
    const policy = pagePolicy(
      `<style>p { color: red }</style><script type="module">${script}</script>`,
    );
    const hash = (text: string) => createHash('sha256').update(text).digest('base64');
    assert.match(policy, /^default-src 'none'; /);
    const parts = [
      ...[
        `script-src 'sha256-${hash(script)}';`,
        `style-src 'sha256-${hash('p { color: red }')}';`,
      ],
      ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      "require-trusted-types-for 'script'",
    ];
    for (const part of parts) assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  });
});
