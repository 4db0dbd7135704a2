import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byExplore } from '../../../src/emulator/faults/points.ts';
import { applicationFaults } from '../../../src/emulator/faults.ts';
import {
  encrypt,
  json,
  type KeyPair,
  keyExchange,
  newApplication,
  newKeyPair,
  registration,
  unwrap,
} from '../support.ts';
import { sequences } from './sequences.ts';

const pairs = new Map([
  ['key-1', newKeyPair()],
  ['key-2', newKeyPair(2048, '02')],
  ['key-3072', newKeyPair(3072)],
]);

type RightResult = { readonly enc_partner_key?: string };

/** What came of each request, against an application with this fault or none. */
async function outcomesOf(steps: readonly string[], fault?: string): Promise<readonly string[]> {
  const { application, call, pass } = newApplication();
  if (fault !== undefined) application.faults.switchOn({ name: fault });
  const keys = new Map<string, string[]>();
  const outcomes: string[] = [];
  for (const round of steps) {
    const sent = round.split(' | ').map((step) => sentIn(step, keys));
    const handled = await Promise.all(sent.map(({ request }) => call(request)));
    for (const [index, { response }] of handled.entries()) {
      const { code, result = {} } = json(response) as { code: string; result?: RightResult };
      const read = sent[index]?.read ?? assert.fail();
      outcomes.push(code === '0000' ? read(result.enc_partner_key) : 'refused');
    }
    pass(1 + Math.max(...handled.map(({ response }) => response.delivery?.delayMs ?? 0)));
  }
  return outcomes;
}

/** The request of a step, and what an accepted one was given. */
function sentIn(step: string, keys: Map<string, string[]>) {
  const [operation, user = '', ...how] = step.split(' ');
  const is = (what: string) => how.includes(what);
  const ptnCd = user.replaceAll('␠', ' ');
  const connection = Number(how.find((each) => each.startsWith('@'))?.slice(1) ?? 1);
  if (operation === 'R') {
    const other = how.find((each) => each.startsWith('key-of-'))?.slice('key-of-'.length);
    const key = keys.get(other ?? ptnCd)?.at(is('earlier-key') ? -2 : -1) ?? '0'.repeat(32);
    const wrong = is('undecryptable');
    const payload = encrypt(wrong ? 'x' : 'a passcode', wrong ? '9'.repeat(32) : key);
    const changes = {
      ...(is('user-info') && { ubifill: encrypt('{"name":"Alice"}', key) }),
      ...(is('no-passcode') && { partner_sp: undefined }),
    };
    const request = { ...registration(payload, ptnCd, changes), connection };
    return { request, read: () => 'accepted' };
  }
  const pair = pairs.get(how.find((each) => pairs.has(each)) ?? 'key-1') ?? assert.fail();
  const request = keyExchange(ptnCd, {
    public_key: is('bad-public-key') ? 'AAAA' : pair.publicKeyText,
    ...(is('no-public-key') && { public_key: undefined }),
    ...(is('foreign') && { client_id: 'another' }),
  });
  const read = (text = '') => {
    const key = unwrapped(text, pair);
    if (key === undefined || [...keys.values()].flat().includes(key)) return 'unusable key';
    keys.set(ptnCd, [...(keys.get(ptnCd) ?? []), key]);
    return 'new key';
  };
  return { request: { ...request, connection }, read };
}

/** Undefined for what this private key does not open. */
function unwrapped(text: string, pair: KeyPair): string | undefined {
  try {
    return unwrap(text, pair);
  } catch {
    return undefined;
  }
}

describe('the faults that sequences show', () => {
  const faults = applicationFaults.filter(({ check }) => check === byExplore);

  for (const { name, title } of faults) {
    it(`${name}: ${title}`, async () => {
      const rounds = sequences[name] ?? [];
      const right = await outcomesOf(rounds);
      const wrong = await outcomesOf(rounds, name);
      const first = wrong.findIndex((outcome, index) => outcome !== right[index]);
      const last = rounds.at(-1)?.split(' | ').length ?? 0;
      assert.ok(first >= wrong.length - last, `${wrong}, not ${right}`);
    });
  }
});
