import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { enterPage } from '../../src/watch/page-access.ts';

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

const entered: readonly (readonly [string, Changes, string])[] = [
  [
    'the page, typed in',
    { headers: { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' } },
    '',
  ],
  [
    'the page, by a link of another site',
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' } },
    '',
  ],
  ['the page, by a browser that tells nothing', {}, ''],
  ['events', { path: 'events', headers: { 'sec-fetch-site': 'same-origin' } }, 'events'],
  ['a change by the page', { method: 'POST', path: 'faults', headers: own }, 'faults'],
  [
    'a change by the page in an older browser',
    { method: 'DELETE', path: 'faults', headers: { origin: door.origin } },
    'faults',
  ],
  ['IPv6 loopback', { peer: '::1' }, ''],
  ['IPv4 loopback in IPv6', { peer: '::ffff:127.0.0.1' }, ''],
];

const refused: readonly (readonly [string, Changes, RegExp])[] = [
  ['another machine', { peer: '192.168.1.7' }, /this machine/],
  ['nobody knows who', { peer: undefined }, /this machine/],
  [
    'a name that was made to point here',
    { headers: { host: 'evil.example:8080' } },
    /not available under another name/,
  ],
  [
    'localhost, which is not its name',
    { headers: { host: 'localhost:8080' } },
    /not available under another name/,
  ],
  ['another port', { headers: { host: '127.0.0.1:8081' } }, /not available under another name/],
  ['no host', { headers: { host: undefined } }, /not available under another name/],
  ['a page of another site', { headers: { origin: 'https://evil.example' } }, /other pages/],
  ['a page of another port', { headers: { origin: 'http://127.0.0.1:8081' } }, /other pages/],
  ['a proxy', { headers: { forwarded: 'for=203.0.113.7' } }, /through a proxy/],
  ['a page of no origin', { headers: { origin: 'null' } }, /other pages/],
  ['a change without an origin', { method: 'POST', path: 'faults' }, /other pages/],
  [
    'a change of another site',
    { method: 'POST', path: 'faults', headers: { origin: 'https://evil.example' } },
    /other pages/,
  ],
  [
    'events for another site',
    { path: 'events', headers: { 'sec-fetch-site': 'cross-site' } },
    /other sites/,
  ],
  [
    'events opened as a document',
    { path: 'events', headers: { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' } },
    /other sites/,
  ],
  [
    'the page in a frame',
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' } },
    /other sites/,
  ],
  [
    'the page of another port as a script',
    { headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' } },
    /other sites/,
  ],
];

describe('the way into the page', () => {
  for (const [title, changes, path] of entered) {
    it(`is open to ${title}`, () => assert.deepEqual(enterPage(ask(changes), door), { path }));
  }

  for (const [title, changes, message] of refused) {
    it(`is closed to ${title}`, () => {
      const response = enterPage(ask(changes), door);
      assert.ok('refused' in response);
      assert.match(response.refused, message);
    });
  }

  for (const given of [
    '',
    'x',
    token.slice(0, -1),
    `${token}x`,
    token.toUpperCase(),
    `%74${token.slice(1)}`,
  ]) {
    it(`is closed to the token ${JSON.stringify(given)}`, () => {
      const request = { ...ask({}), path: `/_authcli/ui/${given}/` };
      const response = enterPage(request, door);
      assert.ok('refused' in response);
      assert.match(response.refused, /to another run/);
    });
  }
});
