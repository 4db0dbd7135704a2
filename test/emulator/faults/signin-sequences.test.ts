import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../../src/crypto/secret.ts';
import { byExplore } from '../../../src/emulator/faults/points.ts';
import { serviceFaults } from '../../../src/emulator/faults.ts';
import type { EmulatorRequest } from '../../../src/emulator/http.ts';
import {
  authenticateCall,
  decrypt,
  json,
  newService,
  registeredUser,
  tokenCall,
} from '../support.ts';

/*
 * The shortest sequence that shows each fault which only sequences show. T exchanges a ptn_token and A
 * authenticates, then the user; `1` is the user's first token, otherwise it is a new ptn_token and the
 * latest acs_token; ` | ` is between requests at the same time; `wait` is until every token is expired.
 */
const sequences: Readonly<Record<string, readonly string[]>> = {
  'keeps-three-acs-tokens': ['T a', 'T a', 'T a', 'T a', 'A a 1'],
  'next-user-ends-acs-token': ['T a', 'T b', 'A a'],
  'third-exchange-loses-acs-token': ['T a', 'T a 1', 'T a 1', 'A a'],
  'loses-every-third-acs-token': ['T a', 'A a', 'T a', 'A a', 'T a', 'A a'],
  'unknown-acs-token-ends-all': ['T a', 'A a unknown', 'A a'],
  'acs-token-third-use': ['T a', 'A a', 'A a', 'A a'],
  'wrong-secret-frees-acs-token': ['T a', 'A a', 'A a wrong-secret', 'A a'],
  'next-token-frees-acs-token': ['T a', 'A a', 'T a', 'A a 1'],
  'secret-checked-once': ['T a', 'T a 1 wrong-secret'],
  'expired-acs-token-second-use': ['T a', 'wait', 'A a', 'A a'],
  'repeat-removes-expiry': ['T a', 'T a 1', 'wait', 'A a'],
  'race-accepts-acs-token-twice': ['T a', 'A a | A a'],
  'repeat-names-user-before': ['T a', 'T b', 'T a 1'],
  'passcode-of-user-before': ['T a', 'T b', 'A a', 'A a unknown', 'A b'],
  'race-names-other-user': ['T a | T b'],
};

const users = ['a', 'b'].map((ptnCd) => ({
  ...registeredUser,
  ptnCd,
  superPasscode: Secret.text(`passcode of ${ptnCd}`),
}));

interface Tokens {
  readonly ptn: string[];
  readonly acs: string[];
}

/** What came of each request, against a service with this fault or none. */
async function outcomesOf(steps: readonly string[], fault?: string): Promise<readonly string[]> {
  const { service, call, ptnToken, pass } = newService(users);
  if (fault !== undefined) service.faults.switchOn({ name: fault });
  const tokens = new Map<string, Tokens>(users.map(({ ptnCd }) => [ptnCd, { ptn: [], acs: [] }]));
  const outcomes: string[] = [];
  for (const round of steps) {
    if (round === 'wait') pass(301_000);
    const sent = round.split(' | ').filter((step) => step !== 'wait');
    const requests = sent.map((step) => requestOf(step, tokens, ptnToken));
    const handled = await Promise.all(requests.map(call));
    for (const [index, { response }] of handled.entries()) {
      outcomes.push(outcomeOf(json(response), tokens.get(sent[index]?.split(' ')[1] ?? '')));
    }
    pass(1 + Math.max(0, ...handled.map(({ response }) => response.delivery?.delayMs ?? 0)));
  }
  return outcomes;
}

function requestOf(
  step: string,
  tokens: ReadonlyMap<string, Tokens>,
  ptnToken: (ptnCd: string) => string,
): EmulatorRequest {
  const [operation, user = '', ...how] = step.split(' ');
  const { ptn = [], acs = [] } = tokens.get(user) ?? {};
  const wrong = how.includes('wrong-secret') ? { secret_key: 'wrong' } : {};
  const isFirst = how.includes('1');
  if (operation === 'T') {
    if (!isFirst) ptn.push(ptnToken(user));
    return tokenCall((isFirst ? ptn[0] : ptn.at(-1)) ?? '', wrong);
  }
  const acsToken = (isFirst ? acs[0] : acs.at(-1)) ?? '';
  return authenticateCall(how.includes('unknown') ? 'unknown' : acsToken, wrong);
}

/** The user named, or the passcode. */
function outcomeOf({ code, result }: Record<string, unknown>, tokens: Tokens | undefined): string {
  if (code !== '0000') return 'refused';
  const { acs_token, ptn_cd, ptn_sp } = result as Record<string, string | undefined>;
  if (acs_token === undefined) return decrypt(ptn_sp ?? '', registeredUser.key.reveal());
  tokens?.acs.push(acs_token);
  return ptn_cd ?? '';
}

describe('the faults that sequences of sign-ins show', () => {
  const faults = serviceFaults.filter(({ check }) => check === byExplore);

  it('are those that have a number of steps', () => {
    const withSteps = serviceFaults.filter(({ steps }) => steps !== undefined);
    assert.deepEqual(
      withSteps.map(({ name }) => name),
      Object.keys(sequences),
    );
    assert.deepEqual(faults, withSteps);
  });

  for (const { name, steps, title } of faults) {
    it(`${name}: ${title}`, async () => {
      const rounds = sequences[name] ?? [];
      const requests = rounds
        .flatMap((round) => round.split(' | '))
        .filter((each) => each !== 'wait');
      assert.equal(requests.length, steps);
      const right = await outcomesOf(rounds);
      const wrong = await outcomesOf(rounds, name);
      const first = wrong.findIndex((outcome, index) => outcome !== right[index]);
      const last = rounds.at(-1)?.split(' | ').length ?? 0;
      assert.ok(first >= wrong.length - last, `${wrong}, not ${right}`);
    });
  }
});
