import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { enterPage, pagePolicy } from '../../src/page/access.ts';
import { origin, token } from './support.ts';

interface Changes {
  readonly method?: string;
  readonly path?: string;
  readonly token?: string;
  readonly peer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The path that a request gets to, or why it is refused; `host: ''` for none. */
function enter({ method = 'GET', path = '', headers = {}, ...rest }: Changes): string {
  const { host, ...others } = { host: '127.0.0.1:8080', ...headers };
  const request = {
    method,
    path: `/_authcli/ui/${rest.token ?? token}/${path}`,
    headers: host === '' ? others : { host, ...others },
    peer: 'peer' in rest ? rest.peer : '127.0.0.1',
    body: new Uint8Array(),
  };
  const entered = enterPage(request, { origin, token });
  return 'refused' in entered ? entered.refused : `to ${entered.path}`;
}

const own = { origin, 'sec-fetch-site': 'same-origin' };
const site = (value: string, dest?: string) => ({
  headers: { 'sec-fetch-site': value, ...(dest && { 'sec-fetch-dest': dest }) },
});
const post = { method: 'POST', path: 'faults' };

describe('the way into the page', () => {
  const entered: readonly (readonly [who: string, changes: Changes])[] = [
    ['the page, by a link of another site', site('cross-site', 'document')],
    ['the page, by a browser that tells nothing', {}],
    ['events', { path: 'events', ...site('same-origin') }],
    ['a change by the page', { ...post, headers: own }],
    ['an older browser', { method: 'DELETE', path: 'x', headers: { origin } }],
    ['IPv6 loopback', { peer: '::1' }],
    ['IPv4 loopback in IPv6', { peer: '::ffff:127.0.0.1' }],
  ];
  for (const [who, changes] of entered) {
    it(`is open to ${who}`, () => assert.equal(enter(changes), `to ${changes.path ?? ''}`));
  }

  const anotherName = /not available under another name/;
  const refused: readonly (readonly [who: string, changes: Changes, message: RegExp])[] = [
    ['another machine', { peer: '192.168.1.7' }, /this machine/],
    ['nobody knows who', { peer: undefined }, /this machine/],
    ['localhost, which is not its name', { headers: { host: 'localhost:8080' } }, anotherName],
    ['another port', { headers: { host: '127.0.0.1:8081' } }, anotherName],
    ['no host', { headers: { host: '' } }, anotherName],
    ['a proxy', { headers: { forwarded: 'for=203.0.113.7' } }, /through a proxy/],
    ['a page of another port', { headers: { origin: 'http://127.0.0.1:8081' } }, /other pages/],
    ['a page of no origin', { headers: { origin: 'null' } }, /other pages/],
    ['a change without an origin', post, /other pages/],
    [
      'a change by a link',
      { ...post, path: '', headers: { origin, ...site('none', 'document').headers } },
      /other sites/,
    ],
    ['events for another site', { path: 'events', ...site('cross-site') }, /other sites/],
    ['events as a document', { path: 'events', ...site('none', 'document') }, /other sites/],
    ['the page in a frame', site('cross-site', 'iframe'), /other sites/],
    ['the beginning of the token', { token: token.slice(0, -1) }, /to another run/],
    ['a longer token', { token: `${token}x` }, /to another run/],
  ];
  for (const [who, changes, message] of refused) {
    it(`is closed to ${who}`, () => assert.match(enter(changes), message));
  }
});

describe("the page's Content Security Policy", () => {
  it('allows its own script, style and origin, and nothing else', () => {
    const [script, style] = ['const a = "1";\nstart(a);', 'p { color: red }'];
    const html = `<style>${style}</style><script type="module">${script}</script>`;
    const hash = (text: string) => createHash('sha256').update(text).digest('base64');
    assert.deepEqual(pagePolicy(html).split('; '), [
      "default-src 'none'",
      `script-src 'sha256-${hash(script)}'`,
      `style-src 'sha256-${hash(style)}'`,
      ...["connect-src 'self'", 'img-src data:', "base-uri 'none'", "form-action 'none'"],
      ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    ]);
  });
});
