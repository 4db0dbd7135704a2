import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type KeyPolicy,
  knownUsers,
  type ModelEvent,
  type ModelRequest,
  type Verdict,
} from '../../src/explore/model.ts';

const code = { near: '' };

function exchange(number: number | undefined, form: 'valid' | 'invalid' = 'valid'): ModelEvent {
  const request: ModelRequest = { kind: 'key-exchange', operation: 'exchange', code, form };
  return number === undefined
    ? { request, verdict: 'refused' }
    : { request, verdict: 'accepted', key: `${number}` };
}

function registration(number: number | undefined, verdict: Verdict, isTelling = true): ModelEvent {
  const form = 'valid';
  const key = number === undefined ? undefined : `${number}`;
  return {
    request: { kind: 'registration', operation: 'registration', code, form, key, isTelling },
    verdict,
  };
}

/** Judges rounds one after another; undefined once no order explains the responses. */
function judge(...rounds: readonly (readonly ModelEvent[])[]) {
  return judgeKnowing({}, rounds);
}

function judgeKnowing(policy: KeyPolicy, rounds: readonly (readonly ModelEvent[])[]) {
  const known = knownUsers(policy);
  const areRight = rounds.every((events) => known.judge(new Map([[0, events]])) === undefined);
  return areRight ? known : undefined;
}

const expected = (judged: ReturnType<typeof judge>, event: ModelEvent) =>
  judged?.expectOf(0, event.request).verdict;

describe('the model of a user', () => {
  it('demands that a valid key exchange is accepted, and a malformed one refused', () => {
    assert.ok(judge([exchange(1)], [exchange(2)]));
    assert.equal(judge([exchange(undefined)]), undefined);
    assert.ok(judge([exchange(undefined, 'invalid')]));
    assert.equal(judge([exchange(1, 'invalid')]), undefined);
  });

  it('demands that the latest key registers the user, and that other keys do not', () => {
    assert.ok(judge([exchange(1)], [registration(1, 'accepted')]));
    assert.equal(judge([exchange(1)], [registration(1, 'refused')]), undefined);
    assert.equal(judge([exchange(1)], [exchange(2)], [registration(2, 'refused')]), undefined);
    assert.equal(judge([exchange(1)], [registration(undefined, 'accepted')]), undefined);
    assert.ok(judge([exchange(1)], [registration(undefined, 'accepted', false)]));
    assert.equal(judge([registration(undefined, 'accepted')]), undefined);
  });

  it('leaves open what a key that could not be read decrypts', () => {
    const unread: ModelEvent = { ...exchange(1), verdict: 'accepted' };
    const { key: _, ...withoutKey } = unread;
    for (const verdict of ['accepted', 'refused'] as const) {
      assert.ok(judge([withoutKey], [registration(undefined, verdict)]), verdict);
    }
  });

  it('lets an earlier key become the stored one, except beside a key exchange where it is known to be refused', () => {
    const both = [registration(1, 'accepted', false), exchange(2)];
    const race = [[exchange(1)], both, [registration(2, 'refused')]];
    assert.ok(judge(...race));
    assert.ok(judgeKnowing({ refusesEarlierKeys: false }, race));
    const strict = { refusesEarlierKeys: true, registersAgain: true };
    assert.equal(judgeKnowing(strict, race), undefined);
    const right = [...race.slice(0, 2), [registration(2, 'accepted')]];
    assert.ok(judgeKnowing(strict, right));
    const certain = [[exchange(1)], [exchange(2)], [registration(1, 'accepted')]];
    for (const verdict of ['accepted', 'refused'] as const) {
      const rounds = [...certain, [registration(2, verdict)]];
      assert.ok(judgeKnowing(strict, rounds), verdict);
    }
  });

  it('lets whoever registers a user once refuse a registration after one that the stored key decrypted by chance', () => {
    const chances = [1, undefined].map((key) => registration(key, 'accepted', false));
    for (const chance of chances) {
      const rounds = [[exchange(1)], [chance, exchange(2)], [registration(2, 'refused')]];
      const policy = { refusesEarlierKeys: true };
      assert.ok(judgeKnowing({ ...policy, registersAgain: false }, rounds));
      assert.ok(judgeKnowing(policy, rounds));
      assert.equal(judgeKnowing({ ...policy, registersAgain: true }, rounds), undefined);
    }
  });

  it('leaves an earlier key and a second registration to the application, which must stick to it', () => {
    for (const first of ['accepted', 'refused'] as const) {
      const again = (verdict: Verdict) => [
        ...[[exchange(1)], [registration(1, 'accepted')], [registration(1, first)]],
        ...[[exchange(2)], [registration(2, 'accepted')], [registration(2, verdict)]],
      ];
      assert.ok(judge(...again(first)));
      assert.equal(judge(...again(first === 'accepted' ? 'refused' : 'accepted')), undefined);
    }
    const refused = [[exchange(1)], [exchange(2)], [registration(1, 'refused')]];
    assert.ok(judge(...refused, [exchange(3)], [registration(2, 'refused')]));
    assert.equal(judge(...refused, [exchange(3)], [registration(2, 'accepted')]), undefined);
  });

  it('allows an accepted earlier key to become the stored one, and to be forgotten again', () => {
    const earlier = [[exchange(1)], [exchange(2)], [registration(1, 'accepted')]];
    assert.equal(judge(...earlier)?.statesOf(0).length, 2);
    assert.equal(expected(judge(...earlier), registration(2, 'accepted')), 'open');
    const forgotten = judge(...earlier, [exchange(3)]);
    assert.equal(expected(forgotten, registration(3, 'accepted')), 'accepted');
  });
});

describe('callbacks of a user at the same time', () => {
  const both = [exchange(1), exchange(2)];

  it('are right if some order of them is: one of two keys is stored', () => {
    const first = registration(1, 'refused');
    assert.equal(expected(judge(both), first), 'open');
    assert.equal(expected(judge(both, [first]), registration(2, 'accepted')), 'accepted');
    assert.equal(judge(both, [first], [registration(2, 'refused')]), undefined);
  });

  it('may find what was before them, or what another of them left', () => {
    const late = (verdict: Verdict) =>
      judge([exchange(1)], [registration(1, verdict), exchange(2)]);
    assert.equal(expected(late('refused'), registration(2, 'accepted')), 'accepted');
    // An earlier key that is accepted may become the stored one.
    assert.equal(expected(late('accepted'), registration(2, 'accepted')), 'open');
    assert.equal(judge([exchange(1), registration(undefined, 'accepted')]), undefined);
  });

  it('stay few possible states, however many there were, and still one key is stored', () => {
    const rounds = Array.from({ length: 5 }, (_, round) =>
      Array.from({ length: 8 }, (_, index) => exchange(round * 8 + index)),
    );
    const judged = judge(...rounds);
    assert.equal(judged?.statesOf(0).length, 8);
    const refused = Array.from({ length: 8 }, (_, index) => [registration(32 + index, 'refused')]);
    assert.ok(judge(...rounds, ...refused.slice(1)));
    assert.equal(judge(...rounds, ...refused), undefined);
  });

  it('do not bind the application to a choice that an order of them explains', () => {
    const many = Array.from({ length: 5 }, (_, key) => exchange(key));
    const events = [registration(0, 'refused'), registration(1, 'accepted')];
    const judged = judge(many, ...events.map((each) => [each]));
    assert.equal(expected(judged, registration(0, 'accepted')), 'open');
  });
});
