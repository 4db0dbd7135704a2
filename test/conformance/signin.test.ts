import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signinProgram } from '../support/signin-program.ts';
import { verifySignin } from './signin-support.ts';
import { troubles } from './support.ts';

describe('what a check of the sign-in has seen', () => {
  const alone = /^exit status 0: authcli-\w+ signed in after the token request alone$/;
  for (const [name, check, observed] of [
    ['sends-nothing', 'both-calls', /^no request to the emulated service \(exit status 1\)$/],
    ['authenticates-alone', 'both-calls', /^an authenticate request alone \(exit status 1\)$/],
    ['token-alone', 'both-calls', alone],
    ['token-alone-later', 'acs-token-once', alone],
    ['secret-in-bearer', 'secret-in-body-only', /^secret_key in the header authorization$/],
    ['secret-in-hex', 'secret-in-body-only', /^secret_key in the header x-trace$/],
    ['null-field', 'string-types', /^a JSON null$/],
    ['byte-order-mark', 'token-fields', /^a token request that begins with a byte order mark/],
  ] as const) {
    it(`${name}: ${check}`, async () => {
      const { checks } = await verifySignin(signinProgram(name), { check: [`signin/${check}`] });
      assert.match(checks[0]?.fault?.observed ?? '', observed);
    });
  }
});

it('a right application signs in at most 100 times: as a command, each is a process', async () => {
  const program = signinProgram('plain');
  let count = 0;
  const result = await verifySignin((input, print) => {
    count += 1;
    return program(input, print);
  });
  assert.deepEqual(troubles(result), []);
  assert.equal(count, 100);
});
