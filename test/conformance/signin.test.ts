import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { type SigninProgram, signinProgram } from '../support/signin-program.ts';
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

const accepts = { check: ['signin/accepts-right-sign-in'] };
const right = signinProgram('plain');
const losing = (count: number): SigninProgram => {
  let turn = 0;
  return async (...input) => {
    await right(...input);
    if (turn++ < count) throw new Error('lost');
  };
};
const key = Secret.key('0123456789abcdef'.repeat(2));
const accented = { ptnCd: 'alice', key, superPasscode: Secret.text('Paßwort-für-Alice') };
for (const [experiment, program, cause] of [
  ['expire-later', 'reads-expiry-in-seoul', /9 hours east .* token is expired/],
  ['expire-earlier', 'bounds-expiry-in-lima', /5 hours west .* too long/],
  ['ascii', 'stores-latin1', /with a passcode in ASCII, and refuses one with other characters/],
  ['without-message', 'knows-no-message', /when the service leaves out message/],
  ['without-expire-dt', 'knows-no-expiry', /when the service leaves out expire_dt/],
  ['closed-connections', 'reads-to-end', /closes the connection after each response/],
  ['slow-responses', 'stores-late', /takes a second for each response.*not stored/],
  ['again', losing(1), /accepted the same sign-in when it was repeated.*lost/],
  ['again', losing(3), /accepted the same sign-in when it was repeated.*lost/],
  [undefined, losing(100), /^$/],
] as const) {
  it(`a refused sign-in is explained by an experiment: ${experiment}`, async () => {
    const users = experiment === 'ascii' ? 'given' : 'invented';
    const options = { ...accepts, users, givenUser: async () => accented } as const;
    const run = typeof program === 'string' ? signinProgram(program) : program;
    const { checks } = await verifySignin(run, options);
    const { evidence, message = '' } = checks[0]?.fault?.diagnosis ?? {};
    assert.equal(evidence?.experiment, experiment);
    assert.match(message, cause);
  });
}

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
