import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  authenticateUrl,
  callbackUrl,
  contentType,
  isJsonContentType,
  isLoopback,
  isLoopbackHost,
  tokenUrl,
} from '../../src/protocol/endpoints.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { refusalOf } from '../support/refusal.ts';

describe('endpoints', () => {
  type Row = readonly [url: string, problem: string, hint: string];
  it('puts the paths of the calls below {auth_url}, and takes a callback as it is', () => {
    for (const [authUrl, url] of fixtureRows<Row>('readings/token-urls.jsonl'))
      assert.equal(tokenUrl(authUrl).href, url);
    assert.equal(authenticateUrl('https://h/api/').href, 'https://h/api/process/authenticate');
    for (const url of ['https://h/cb', 'http://localhost:3000/a/b/?x=1&y=/', 'https://h/@user/']) {
      assert.equal(callbackUrl(url).href, url);
    }
  });

  it('refuses a URL that is not one, and says what to write', () => {
    for (const [url, problem, hint] of fixtureRows<Row>('readings/urls-refused.jsonl')) {
      const error = refusalOf(() => callbackUrl(url));
      const shown = url.replace('\u001b', '\\u001b');
      assert.deepEqual([error.code, error.message], ['usage', `The URL ${shown} ${problem}.`]);
      assert.match(error.hint, new RegExp(hint));
    }
    assert.equal(refusalOf(() => callbackUrl('')).message, 'The URL is empty.');
    const { message, hint } = refusalOf(() => callbackUrl('http://u:hunter2@h/x'));
    assert.equal(message, 'The URL http://h/x contains a user name or password.');
    assert.match(hint, /Authorization header/);
  });

  it('refuses an {auth_url} that ends in the path of a call', () => {
    for (const path of ['/process/token', '/api/process/authenticate/']) {
      const error = refusalOf(() => tokenUrl(`https://h${path}`));
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
      const { message, hint } = refusalOf(() => tokenUrl(url));
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
