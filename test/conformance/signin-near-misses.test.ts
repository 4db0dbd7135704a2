import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { scenarioNamed, scenarios } from '../../src/conformance/signin-scenarios.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { EmulatedSignin } from '../../src/emulator/emulated-signin.ts';
import {
  type Response,
  wrongCodeDefaults,
  wrongCodeTests,
  wrongComparisons,
  wrongLookups,
  wrongUserDefaults,
} from '../support/signin-mistakes.ts';
import { decrypt } from '../support/signin-program.ts';

/*
 * Each near miss is one for some application: it must not pass the right decision, and must pass one
 * of those that are found in applications. Otherwise it costs each run two sign-ins for nothing.
 */

const key = '0123456789abcdefghijklmnopqrstuv';
const clientId = 'shop';
const secretKey = Secret.text('a-secret-key-of-the-tests');
const ptnCd = 'verify-ab12cd34e';

/** Some need a passcode of their own. */
const storedFor: Readonly<Record<string, string>> = {
  'passcode-number-like': '0e46209743190650',
  'passcode-long-end': 'Ks'.padEnd(100, '-1'),
};

/** What the service responds to both calls of a sign-in. */
async function responsesIn(scenario: string, superPasscode: string) {
  const signin = new EmulatedSignin({
    clientId,
    secretKey,
    cipher: defaultCipher,
    environment: { now: Date.now, randomBytes },
    user: { ptnCd, key: Secret.key(key), superPasscode: Secret.text(superPasscode) },
    behaviour: { ...scenarioNamed(scenario).behaviour(nobody), acceptsAnyAcsToken: true },
  });
  const ask = async (path: string, token: object) => {
    const fields = { client_id: clientId, secret_key: secretKey.reveal(), ...token };
    const { body } = await signin.handle({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json;charset=utf-8' },
      body: Buffer.from(JSON.stringify(fields)),
    });
    const text = Buffer.from(body).toString();
    return { text, response: JSON.parse(text) as Response };
  };
  return {
    token: await ask('/process/token', { ptn_token: signin.ptnToken }),
    authenticate: await ask('/process/authenticate', { acs_token: 'any' }),
  };
}

const nobody = { ptnCd: '', passcode: '' };

/** Those that a check tries. */
const named = (pattern: RegExp) =>
  scenarios.filter(({ name, triedBy }) => triedBy && pattern.test(name)).map(({ name }) => name);

/** The mistakes that take it; the right decision must not. */
function takenBy<Decision>(
  mistakes: Readonly<Record<string, Decision>>,
  takes: (decision: Decision) => boolean,
): readonly string[] {
  return Object.keys(mistakes).filter((name) => takes(mistakes[name] as Decision));
}

describe('a near miss is refused by the right decision, and accepted by a wrong one', () => {
  for (const name of named(/^(?:token|authenticate)-code-(?!unknown)/)) {
    it(name, async () => {
      const call = name.startsWith('token-') ? 'token' : 'authenticate';
      const { response, text } = (await responsesIn(name, 'Ks-passcode'))[call];
      assert.ok(response.code !== '0000');
      const wrong = { ...wrongCodeTests, ...wrongCodeDefaults };
      assert.notDeepEqual(
        takenBy(wrong, (accepts) => accepts(response, text)),
        [],
      );
    });
  }

  for (const name of named(/^passcode-(?!other$|of-another|earlier|any-pattern)/)) {
    it(name, async () => {
      const stored = storedFor[name] ?? 'Ks-pass.code-1';
      const { authenticate } = await responsesIn(name, stored);
      const found = decrypt(String(authenticate.response.result?.ptn_sp), key);
      assert.ok(found !== stored);
      assert.notDeepEqual(
        takenBy(wrongComparisons, (same) => same(found, stored)),
        [],
      );
    });
  }

  for (const name of named(/^ptn-cd-(?!other$)/)) {
    it(name, async () => {
      const { token } = await responsesIn(name, 'Ks-passcode');
      const given = token.response.result?.ptn_cd;
      assert.ok(given !== ptnCd);
      const wrong = { ...wrongLookups, ...wrongUserDefaults };
      assert.notDeepEqual(
        takenBy(wrong, (finds) => finds(given, { ptnCd })),
        [],
      );
    });
  }
});
