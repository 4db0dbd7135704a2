import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import {
  authenticateUrl,
  callbackUrl,
  contentType,
  isJsonContentType,
  isLoopback,
  isLoopbackHost,
  tokenUrl,
} from '../../src/protocol/endpoints.ts';

describe('endpoints', () => {
  const bases = [
    ['https://auth.example.com', 'https://auth.example.com/process/token'],
    ['https://h/api/v2//', 'https://h/api/v2/process/token'],
    ['  http://127.0.0.1:8080\n', 'http://127.0.0.1:8080/process/token'],
    ['HTTP://[::1]:8080/x', 'http://[::1]:8080/x/process/token'],
    ['https://h/api?tenant=a%20b', 'https://h/api/process/token?tenant=a%20b'],
  ] as const;
  it('puts the paths of the calls below {auth_url}, and takes a callback as it is', () => {
    for (const [authUrl, url] of bases) assert.equal(tokenUrl(authUrl).href, url);
    assert.equal(authenticateUrl('https://h/api/').href, 'https://h/api/process/authenticate');
    for (const url of ['https://h/cb', 'http://localhost:3000/a/b/?x=1&y=/', 'https://h/@user/']) {
      assert.equal(callbackUrl(url).href, url);
    }
  });

  const scheme = 'has no scheme (http:// or https://)';
  const broken = "can't be read: its host or port is invalid";
  const space = 'has white space inside it';
  const refused: readonly (readonly [url: string, problem: string, hint: RegExp])[] = [
    ['localhost:8080/x', scheme, /^Did you mean http:\/\/localhost:8080\/x\?$/],
    ['127.0.0.1:8080/x', scheme, /mean http:\/\/127/],
    ['app.example.com/cb', scheme, /mean https:\/\/app\.example\.com\/cb\?/],
    ['http:/h/x', scheme, /mean https:\/\/h\/x/],
    ['not a url', scheme, /in full/],
    ['wss://h/x', 'has the scheme "wss"', /^Use a URL that begins with http:\/\/ or https:\/\/\.$/],
    ['http:///x', broken, /in full/],
    ['http://h:70000/', broken, /in full/],
    ['http://[::1/x', broken, /in full/],
    ['http://h /x', space, /in full/],
    ['http://h/\u001b[2J', space, /in full/],
    ['http://h/x#part', 'has a fragment, which is never sent', /^Write http:\/\/h\/x$/],
  ];
  it('refuses a URL that is not one, and says what to write', () => {
    for (const [url, problem, hint] of refused) {
      const error = refusal(() => callbackUrl(url));
      const shown = url.replace('\u001b', '\\u001b');
      assert.deepEqual([error.code, error.message], ['usage', `The URL ${shown} ${problem}.`]);
      assert.match(error.hint, hint);
    }
    assert.equal(refusal(() => callbackUrl('')).message, 'The URL is empty.');
    const { message, hint } = refusal(() => callbackUrl('http://u:hunter2@h/x'));
    assert.equal(message, 'The URL http://h/x contains a user name or password.');
    assert.match(hint, /Authorization header/);
  });

  it('refuses an {auth_url} that ends in the path of a call', () => {
    for (const path of ['/process/token', '/api/process/authenticate/']) {
      const error = refusal(() => tokenUrl(`https://h${path}`));
      assert.match(error.message, /already ends in the path of one call/);
      assert.match(error.hint, /^Give what comes before it: https:\/\/h(?:\/api)?$/);
    }
  });

  it('repeats no password, however broken the URL is', () => {
    for (const url of [
      'http://u:hunter2@[bad/x',
      'http://u:hun/ter2@h:x/',
      'u:hunter2@localhost/x',
      'ftp://u:hunter2@h',
      'http://u:hunter2@h/#x',
      'http://u:hunter2@ h',
    ]) {
      const { message, hint } = refusal(() => tokenUrl(url));
      assert.doesNotMatch(`${message} ${hint}`, /hun|ter2/, url);
    }
  });
});

it('takes a Content-Type for JSON', () => {
  for (const header of [contentType, 'Application/JSON ; charset=UTF-8', 'application/a+json']) {
    assert.ok(isJsonContentType(header), header);
  }
  for (const header of [undefined, '', 'text/json', 'application/jsonp', 'application/json5']) {
    assert.ok(!isJsonContentType(header), header);
  }
});

it('knows the addresses of this machine', () => {
  for (const host of ['localhost', '127.8.9.10', '[::1]', '2130706433']) {
    assert.ok(isLoopback(new URL(`http://${host}:8080/`)), host);
  }
  for (const host of ['localhost.example.com', '127.example.com', '10.0.0.1', '[::2]']) {
    assert.ok(!isLoopback(new URL(`http://${host}/`)), host);
  }
  for (const host of ['127.1.2.3', '::1', '::FFFF:127.0.0.1', 'LOCALHOST', '::ffff:7f00:1']) {
    assert.ok(isLoopbackHost(host), host);
  }
  const foreign = ['', '0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example.com', '::ffff:128.0.0.1'];
  for (const host of foreign) assert.ok(!isLoopbackHost(host), host);
});

function refusal(call: () => unknown): AuthcliError {
  try {
    call();
  } catch (error) {
    if (error instanceof AuthcliError) return error;
    throw error;
  }
  return assert.fail('nothing was refused');
}
