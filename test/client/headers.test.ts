import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carriesCredentials, credentialForms, credentialsIn } from '../../src/client/headers.ts';

describe('credentials in headers', () => {
  it('are in those that are named for them', () => {
    const names = ['Authorization', 'Set-Cookie', 'X-Api-Key', 'x-session', 'X-Hub-Signature-256'];
    for (const name of names) assert.ok(carriesCredentials(name), name);
    const others = [':authority', 'WWW-Authenticate', 'X-Authcli-Check', 'Content-Type', 'Host'];
    for (const name of others) assert.ok(!carriesCredentials(name), name);
  });

  const basic = `Basic ${Buffer.from('user:pass:word').toString('base64')}`;
  for (const [value, ...parts] of [
    ['plain-value', 'plain-value'],
    ['Bearer abc', 'abc'],
    [basic, 'pass:word', basic.slice('Basic '.length)],
    ['theme=dark; sid=0123456789', '0123456789', 'theme=dark; sid=0123456789'],
    ['sid="0123456789"; Path=/a/long/path; HttpOnly', '0123456789'],
  ] as const) {
    it(`are found in ${value}`, () => {
      const forms = credentialForms(value);
      assert.equal(forms[0], value);
      for (const part of parts) assert.ok(forms.includes(part), part);
      assert.ok(!forms.includes('dark') && !forms.includes('/a/long/path'));
    });
  }

  it('of a peer are not what occurs everywhere by chance', () => {
    assert.deepEqual(
      credentialsIn([
        ['X-Auth-Version', '2'],
        ['Accept', 'application/json'],
      ]),
      [],
    );
  });
});
