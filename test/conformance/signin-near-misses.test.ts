import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scenarioNamed, scenarios } from '../../src/conformance/signin-scenarios.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  type Response,
  wrongCodeDefaults,
  wrongCodeTests,
  wrongComparisons,
  wrongLookups,
  wrongUserDefaults,
} from '../support/signin-mistakes.ts';

/*
 * Each near miss is one for some application: it must not pass the right decision, and must pass one
 * of those that are found in applications. Otherwise it costs each run two sign-ins for nothing.
 */

const ptnCd = 'verify-ab12cd34e';
const right = { code: '0000', message: '', result: { acs_token: 'a', ptn_cd: ptnCd, ptn_sp: 'b' } };

/** Some need a passcode of their own. */
const storedFor: Readonly<Record<string, string>> = {
  'passcode-number-like': '0e46209743190650',
  'passcode-long-end': 'Ks'.padEnd(100, '-1'),
};

/** What the service does in a scenario, and what it sees. */
function service(name: string) {
  const { behaviour, call: operation } = scenarioNamed(name);
  const request = { method: 'POST', path: '/', headers: {}, body: new Uint8Array() };
  const own = { clientId: '', cipher: defaultCipher, randomBytes: seededBytes(name) };
  const seen = { ...own, request, operation, ptnCd, key: '', now: 0 };
  return { ...behaviour, seen };
}

/** Those that a check tries. */
const named = (pattern: RegExp) =>
  scenarios.filter(({ name, triedBy }) => triedBy && pattern.test(name)).map(({ name }) => name);

/** Some mistake takes it; the right decision must not. */
const isTaken = <Decision>(
  mistakes: Readonly<Record<string, Decision>>,
  takes: (decision: Decision) => boolean,
) => Object.values(mistakes).some(takes);

describe('a near miss is refused by the right decision, and accepted by a wrong one', () => {
  for (const name of named(/^(?:token|authenticate)-code-(?!unknown)/)) {
    it(name, () => {
      const { value, seen } = service(name);
      const text = JSON.stringify(value?.(right, seen));
      const response: Response = JSON.parse(text);
      assert.ok(response.code !== '0000');
      const wrong = { ...wrongCodeTests, ...wrongCodeDefaults };
      assert.ok(isTaken(wrong, (accepts) => accepts(response, text)));
    });
  }

  for (const name of named(/^passcode-(?!other$)/)) {
    // The patterns are for databases: no comparison of texts takes them.
    if (name === 'passcode-any-pattern') continue;
    it(name, () => {
      const { passcode, seen } = service(name);
      const stored = storedFor[name] ?? 'Ks-pass.code-1';
      const found = passcode?.(stored, seen) ?? stored;
      assert.notEqual(found, stored);
      assert.ok(isTaken(wrongComparisons, (same) => same(found, stored)));
    });
  }

  for (const name of named(/^ptn-cd-(?!other$)/)) {
    it(name, () => {
      const { ptnCd: names, value, seen } = service(name);
      const result = { ...right.result, ptn_cd: names?.(ptnCd, seen) ?? ptnCd };
      const sent = { ...right, result };
      const text = JSON.stringify(value?.(sent, seen) ?? sent);
      const given = (JSON.parse(text) as Response).result?.ptn_cd;
      assert.notEqual(given, ptnCd);
      const wrong = { ...wrongLookups, ...wrongUserDefaults };
      assert.ok(isTaken(wrong, (finds) => finds(given, { ptnCd })));
    });
  }
});
