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

/*
 * The shortest sequence that shows each fault which only sequences show. X is a key exchange and R a
 * registration, then the user; ` | ` is between requests at the same time. Without more, a request
 * is valid, with the latest key of its user.
 */
const sequences: Readonly<Record<string, readonly string[]>> = {
  'keeps-three-users': [...exchanges(4), 'R u1'],
  'keeps-eight-users': [...exchanges(9), 'R u1'],
  'keeps-fifty-users': [...exchanges(51), 'R u1'],
  'bad-registration-deletes-user': ['X a', 'R a undecryptable', 'R a'],
  'bad-registrations-delete-user': ['X a', 'R a undecryptable', 'R a undecryptable', 'R a'],
  'bad-key-exchange-deletes-user': ['X a', 'X a bad-public-key', 'R a'],
  'foreign-client-deletes-user': ['X a', 'X a foreign', 'R a'],
  'registration-forgets-waiting-users': ['X a', 'X b', 'R b', 'R a'],
  'remembers-unknown-users': ['R a', 'X a', 'R a'],
  'keeps-second-key': ['X a', 'X a', 'X a', 'R a'],
  'keeps-sixth-key': [...Array(7).fill('X a'), 'R a'],
  'loses-every-fourth-key': ['X a', 'X a', 'X a', 'X a', 'R a'],
  'loses-every-third-key': ['X a', 'R a', 'X b', 'R b', 'X c', 'R c'],
  'returning-public-key-restores-key': ['X a', 'X a key-2', 'X a', 'R a'],
  'other-key-size-keeps-key': ['X a', 'X a key-3072', 'R a'],
  'keeps-key-of-second-sign-up': ['X a', 'R a', 'X a', 'R a', 'X a', 'R a'],
  'user-info-keeps-key': ['X a', 'R a user-info', 'X a', 'R a'],
  'returning-user-keeps-key': ['X a', 'X b', 'X a', 'R a'],
  'bad-key-exchange-loses-next': ['X a bad-public-key', 'X a', 'R a'],
  'key-of-failed-registration': ['X a', 'X b', 'R a undecryptable', 'R b'],
  'leftover-user-info': ['X a', 'X b', 'R a user-info', 'R b'],
  'registration-ends-last-key': ['X a', 'X b', 'R a', 'R b'],
  'refusal-comes-twice': ['X a bad-public-key', 'X a'],
  'unknown-user-gets-last-key': ['X a', 'R b key-of-a'],
  'unknown-user-after-success': ['X a', 'R a', 'R b'],
  'undecryptable-after-refusal': ['X a', 'R a undecryptable', 'R a undecryptable'],
  'undecryptable-once-registered': ['X a', 'R a', 'R a undecryptable'],
  'key-of-last-user-fits': ['X a', 'X b', 'R a key-of-b'],
  'leftover-public-key': ['X a', 'X a no-public-key'],
  'leftover-passcode': ['X a', 'R a', 'R a no-passcode'],
  'client-checked-once': ['X a', 'X a foreign'],
  'trims-user-code': ['X a', 'X a+space', 'R a'],
  'user-code-as-number': ['X 7', 'X 007', 'R 7'],
  'folds-width': ['X a', 'X ａ', 'R a'],
  'drops-invisible-characters': ['X a', 'X a+zero-width', 'R a'],
  'user-code-url-decoded': ['X a+b', 'X a+space+b', 'R a+b'],
  'user-code-as-pattern': ['X a1b', 'X a_b', 'R a_b'],
  'connection-keeps-registered-user': ['X a', 'X b', 'R a @2', 'R b @2'],
  'connection-caches-key': ['X a @1', 'X a @2', 'R a @1'],
  'refusal-poisons-connection': ['X a bad-public-key', 'X a'],
  'connection-loses-fourth-key': ['X a', 'X a', 'X a', 'X a', 'R a'],
  'race-loses-user': ['X a | X b', 'R a'],
  'race-restores-key': ['X a', 'R a | X a', 'R a'],
  'race-mixes-registrations': ['X a', 'X b', 'R a | R b'],
  'race-tears-key': ['X a | X a', 'R a earlier-key', 'R a'],
  'race-shares-response': ['X a | X b'],
  'race-refuses-second': ['X a | X b'],
};

/** User codes that can't be written in a step. */
const codes = new Map([
  ['a+space', 'a '],
  ['a+zero-width', 'a\u200b'],
  ['a+space+b', 'a b'],
]);

function exchanges(users: number): readonly string[] {
  return Array.from({ length: users }, (_, index) => `X u${index + 1}`);
}

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
  const ptnCd = codes.get(user) ?? user;
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

  it('are those that have a number of steps, and each has a sequence', () => {
    const withSteps = applicationFaults.filter(({ steps }) => steps !== undefined);
    assert.deepEqual(faults, withSteps);
    const names = faults.map(({ name }) => name);
    assert.deepEqual(names, Object.keys(sequences));
  });

  for (const { name, steps, title } of faults) {
    it(`${name}: ${title}`, async () => {
      const rounds = sequences[name] ?? [];
      assert.equal(rounds.flatMap((round) => round.split(' | ')).length, steps);
      const right = await outcomesOf(rounds);
      const wrong = await outcomesOf(rounds, name);
      const first = wrong.findIndex((outcome, index) => outcome !== right[index]);
      const last = rounds.at(-1)?.split(' | ').length ?? 0;
      assert.ok(first >= wrong.length - last, `${wrong}, not ${right}`);
    });
  }
});
