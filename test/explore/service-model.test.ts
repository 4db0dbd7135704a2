import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeRound } from '../../src/explore/model/rounds.ts';
import {
  expectSignIn,
  nextSignIns,
  type SignInEvent,
  type SignInRequest,
} from '../../src/explore/model/service-expectation.ts';
import {
  nameOfSignIn,
  newUser,
  type SignInState,
  type TokenPolicy,
} from '../../src/explore/model/service-state.ts';

const model = { expect: expectSignIn, nextStates: nextSignIns };

/** `T1` exchanges ptn_token 1, `A11` authenticates with acs_token 11; `!` malformed, `x` expired, `?` of unsure age. */
function request(text: string): SignInRequest {
  const [, letter = '', token = '', how = ''] = /^([TA])(\d+)(.?)$/.exec(text) ?? [];
  const kind = letter === 'T' ? 'token' : 'authenticate';
  return {
    operation: `${kind}/test`,
    kind,
    form: how === '!' ? 'invalid' : how === '~' ? 'odd' : 'valid',
    token: Number(token),
    age: how === 'x' ? 'expired' : how === '?' ? 'unsure' : 'fresh',
  };
}

/** `T1=11` was accepted with acs_token 11, `A11=` too, `A11-` was refused, `A11-e` by a server error. */
function event(text: string): SignInEvent {
  const [, sent = '', verdict = '', more = ''] = /^(\w+[!~x?]?)([=-])(\w*)$/.exec(text) ?? [];
  return {
    request: request(sent),
    verdict: verdict === '=' ? 'accepted' : 'refused',
    isDecided: more !== 'e',
    ...(verdict === '=' && more !== '' && { acsToken: Number(more) }),
  };
}

function after(events: string, policy: TokenPolicy = {}): readonly SignInState[] {
  const rounds = events.split(' ').filter((round) => round !== '');
  let states: readonly SignInState[] = [newUser(policy)];
  let choices: ReturnType<typeof judgeRound>['choices'] = new Map();
  for (const round of rounds) {
    const judged = judgeRound(model, states, round.split('|').map(event), choices);
    states = judged.states;
    choices = judged.choices;
  }
  return states;
}

const once = { acsOnce: true, ptnOnce: true };

describe('the model of a service', () => {
  const expectations: readonly (readonly [string, string, string, TokenPolicy?])[] = [
    ['', 'T1', 'accepted'],
    ['', 'T1!', 'refused'],
    ['', 'T1~', 'open'],
    ['', 'A99', 'refused'],
    ['T1=11', 'A11', 'accepted'],
    ['T1=11', 'A11!', 'refused'],
    ['T1=11', 'A11x', 'refused'],
    ['T1=11', 'A11?', 'open'],
    ['T1=11', 'T1', 'open'],
    ['T1=11', 'T1', 'refused', once],
    ['T1=11 A11=', 'A11', 'open'],
    ['T1=11 A11=', 'A11', 'refused', once],
    ['T1=11 A11= A11-', 'A11', 'refused'],
    ['T1=11 A11= A11-e', 'A11', 'open'],
    ['T1=11 A11= A11=', 'A11', 'open'],
    ['T1=11 T2=12', 'A12', 'accepted'],
    ['T1=11 T2=12', 'A11', 'open'],
    ['T1=11 T1=12', 'A12', 'accepted'],
    // Another request of the same token that is refused may end it.
    ['T1=11 A11!-', 'A11', 'open'],
    ['T1=11 A11= A11!-', 'A11', 'refused', once],
    ['T1=11 T1-', 'A11', 'open', once],
    ['T1=11 T1- T2=12', 'A12', 'accepted', once],
    // Expired tokens do not come back.
    ['T1=11 A11x-', 'A11x', 'refused'],
    // The same acs_token again.
    ['T1=11 T1=11', 'A11', 'open'],
  ];
  for (const [before, sent, expected, policy] of expectations) {
    it(`${before || 'nothing'}, then ${sent} is ${expected}${policy ? ' where tokens work once' : ''}`, () => {
      const verdicts = after(before, policy).map(
        (state) => expectSignIn(state, request(sent)).verdict,
      );
      assert.deepEqual(new Set(verdicts), new Set([expected]));
    });
  }

  it('explains requests at the same time by some order of them', () => {
    assert.ok(after('T1=11 A11=|A11-', once).length > 0);
    assert.ok(after('T1=11|T2=12 A11=|A12=').length > 0);
    assert.ok(after('T1=11 A11=|T2=12').length > 0);
    assert.ok(after('T1=11 A11=|A11!-', once).length > 0);
  });

  it('explains none where a token works twice, or not at all', () => {
    assert.equal(after('T1=11 A11=|A11=', once).length, 0);
    assert.equal(after('T1=11 A11-|A11-', once).length, 0);
    assert.equal(after('T1=11|T1=12', once).length, 0);
  });

  it('expects a service to repeat its choice', () => {
    assert.equal(after('T1=11 A11= A11- T2=12 A12= A12=').length, 0);
    assert.equal(after('T1=11 T2=12 A11- T3=13 A12=').length, 0);
    assert.ok(after('T1=11 T2=12 A11= T3=13 A12=').length > 0);
  });

  it('names the states that coverage counts', () => {
    const names = ['', 'T1=11', 'T1=11 A11=', 'T1=11 A11= T2=12'].map((events) =>
      after(events).map(nameOfSignIn),
    );
    assert.deepEqual(names, [['without-token'], ['with-token'], ['signed-in'], ['again']]);
  });
});
