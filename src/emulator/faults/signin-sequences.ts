import { refusal } from '../handling.ts';
import { serviceCodes } from '../refusals.ts';
import {
  byExplore,
  defineServiceFaults,
  type Hooks,
  recall,
  type ServicePoints,
  type SigninSituation,
  type Situation,
  sentIn,
} from './points.ts';
import { afterwards, countOf, late, remembered, windowMs } from './sequences.ts';

/** Tokens that were issued are lost after others. */
const lostTokens = defineServiceFaults({ check: byExplore, diagnosis: 'code-not-success' })({
  'keeps-three-acs-tokens': {
    title: 'Keeps the three latest acs_tokens, and forgets the others',
    steps: 5,
    apply: losesTokens('the latest three', (tokens) => tokens.slice(0, -3)),
  },
  'next-user-ends-acs-token': {
    title: 'Ends an acs_token when another user gets one',
    steps: 3,
    apply: losesTokens('of the last user', (tokens, { ptnCd }) =>
      tokens.filter((token) => token.ptnCd !== ptnCd),
    ),
  },
  'third-exchange-loses-acs-token': {
    title: 'Does not accept the acs_token of the third and later exchanges of a ptn_token',
    steps: 4,
    apply: losesTokens('of a third exchange', (tokens, seen) =>
      countOf(seen, 'exchanges', String(sentIn(seen).ptn_token)) > 2 ? tokens.slice(-1) : [],
    ),
  },
  // Which one it is depends on everything before: three in a row always include one.
  'loses-every-third-acs-token': {
    title: 'Does not accept every third acs_token, whoever gets it',
    steps: 6,
    apply: losesTokens('every third', (tokens, seen) =>
      countOf(seen, 'acs_tokens') % 3 === 0 ? tokens.slice(-1) : [],
    ),
  },
  'unknown-acs-token-ends-all': {
    title: 'Ends all acs_tokens at a request with an unknown one',
    steps: 3,
    apply: {
      ...losesTokens('after an unknown one', () => []),
      response: afterwards((seen) => {
        if (seen.refusal?.name !== 'acs-token') return;
        const { issued, lost } = tokensOf(seen, 'after an unknown one');
        for (const { text } of issued.splice(0)) lost.add(text);
      }),
    },
  },
});

/** Requests that must be refused are accepted after others. */
const tooLenient = defineServiceFaults({ check: byExplore, diagnosis: 'accepted-bad-input' })({
  'acs-token-third-use': {
    title: 'Refuses a used acs_token once, and accepts it after that',
    steps: 4,
    apply: acceptsUsed((seen, token) => remembered(seen, 'refused as used').has(token), {
      response: afterwards((seen) => {
        if (seen.refusal?.name === 'acs-token-used')
          remembered(seen, 'refused as used').add(sentToken(seen));
      }),
    }),
  },
  'wrong-secret-frees-acs-token': {
    title: 'Accepts a used acs_token again after a request that sent it with a wrong secret_key',
    steps: 4,
    apply: acceptsUsed((seen, token) => remembered(seen, 'freed').has(token), {
      response: afterwards((seen) => {
        if (seen.refusal?.name === 'client') remembered(seen, 'freed').add(sentToken(seen));
      }),
    }),
  },
  'next-token-frees-acs-token': {
    title: 'Accepts a used acs_token again after the next token request of its user',
    steps: 4,
    apply: acceptsUsed((seen) => remembered(seen, 'users with a new token').has(seen.ptnCd ?? ''), {
      acsToken: (right, seen) => {
        remembered(seen, 'users with a new token').add(seen.ptnCd);
        return right;
      },
      response: afterwards((seen) => {
        if (seen.operation === 'authenticate' && seen.refusal === undefined)
          remembered(seen, 'users with a new token').delete(seen.ptnCd ?? '');
      }),
    }),
  },
  'secret-checked-once': {
    title: 'Checks the secret_key only in the first request of a ptn_token',
    steps: 2,
    apply: {
      refusal: (right, seen) =>
        right?.name === 'client' &&
        remembered(seen, 'ptn_tokens').has(String(sentIn(seen).ptn_token))
          ? undefined
          : right,
      acsToken: (right, seen) => {
        remembered(seen, 'ptn_tokens').add(String(sentIn(seen).ptn_token));
        return right;
      },
    },
  },
  'expired-acs-token-second-use': {
    title: 'Refuses an expired acs_token once, and accepts it after that',
    steps: 3,
    apply: {
      refusal: (right, seen) =>
        right?.name === 'acs-token-expired' && countOf(seen, 'expired', sentToken(seen)) > 1
          ? undefined
          : right,
    },
  },
  'repeat-removes-expiry': {
    title: 'Never expires the acs_token of a ptn_token that was exchanged again',
    steps: 3,
    apply: neverExpireAfterRepeat(),
  },
  'race-accepts-acs-token-twice': {
    title: 'Accepts an acs_token twice at the same time',
    steps: 3,
    apply: {
      refusal: (right, seen) => {
        if (seen.operation !== 'authenticate') return right;
        const underWay = recall(seen, 'authentications', () => new Map<string, number[]>());
        const before = underWay.get(sentToken(seen)) ?? [];
        if (right === undefined) underWay.set(sentToken(seen), [...before, seen.now + windowMs]);
        const isBeside = before.filter((until) => until > seen.now).length > 1;
        return right?.name === 'acs-token-used' && isBeside ? undefined : right;
      },
      response: late,
    },
  },
});

/** What belongs to one user is given to another. */
const mixedUsers = defineServiceFaults({ check: byExplore, diagnosis: 'other-user' })({
  'repeat-names-user-before': {
    title: 'Names the user of the previous token request when a ptn_token is exchanged again',
    steps: 3,
    apply: {
      ptnCd: (right, seen) => {
        const before = recall(seen, 'named before', () => ({ ptnCd: right }));
        const isRepeat = countOf(seen, 'named', String(sentIn(seen).ptn_token)) > 1;
        const named = isRepeat ? before.ptnCd : right;
        before.ptnCd = right;
        return named;
      },
    },
  },
  'passcode-of-user-before': {
    title: "Returns the previous user's passcode after a refused request",
    diagnosis: 'passcode-mismatch',
    steps: 5,
    apply: {
      passcode: (right, seen) => {
        const before = recall(seen, 'passcode before', () => ({ text: right, isRefused: false }));
        const returned = before.isRefused ? before.text : right;
        before.text = right;
        return returned;
      },
      response: afterwards((seen) => {
        const before = recall(seen, 'passcode before', () => ({ text: '', isRefused: false }));
        before.isRefused = seen.refusal !== undefined && before.text !== '';
      }),
    },
  },
  'race-names-other-user': {
    title: 'Names the user of another token request that is under way',
    steps: 2,
    apply: {
      ptnCd: (right, seen) => {
        const before = recall(seen, 'token under way', () => ({ ptnCd: right, until: 0 }));
        if (before.until > seen.now && before.ptnCd !== right) return before.ptnCd;
        Object.assign(before, { ptnCd: right, until: seen.now + windowMs });
        return right;
      },
      response: late,
    },
  },
});

/** Faults of the service in sequences of sign-ins. */
export const signinSequenceFaults = [...lostTokens, ...tooLenient, ...mixedUsers];

function sentToken(seen: Situation): string {
  return String(sentIn(seen).acs_token);
}

interface Issued {
  readonly text: string;
  readonly ptnCd: string;
}

function tokensOf(seen: Situation, name: string) {
  return recall(seen, `acs_tokens: ${name}`, () => ({
    issued: [] as Issued[],
    lost: new Set<string>(),
  }));
}

/** Refuses the tokens that `losses` names whenever one is issued: the last of all that are left. */
function losesTokens(
  name: string,
  losses: (issued: readonly Issued[], seen: SigninSituation) => readonly Issued[],
): Hooks<ServicePoints> {
  return {
    acsToken: (right, seen) => {
      const tokens = tokensOf(seen, name);
      tokens.issued.push({ text: right, ptnCd: seen.ptnCd });
      const lost = losses(tokens.issued, seen);
      for (const { text } of lost) tokens.lost.add(text);
      tokens.issued = tokens.issued.filter((token) => !lost.includes(token));
      return right;
    },
    refusal: (right, seen) => {
      const isLost = tokensOf(seen, name).lost.has(sentToken(seen));
      return right ?? (isLost && seen.operation === 'authenticate' ? notIssued : right);
    },
  };
}

const notIssued = refusal(serviceCodes, 'acs-token');

/** Accepts a used token where `isFree`, beside what it takes to know. */
function acceptsUsed(
  isFree: (seen: Situation, acsToken: string) => boolean,
  notes: Hooks<ServicePoints>,
): Hooks<ServicePoints> {
  return {
    ...notes,
    refusal: (right, seen) =>
      right?.name === 'acs-token-used' && isFree(seen, sentToken(seen)) ? undefined : right,
  };
}

function neverExpireAfterRepeat(): Hooks<ServicePoints> {
  return {
    acsToken: (right, seen) => {
      const isRepeat = countOf(seen, 'exchanged', String(sentIn(seen).ptn_token)) > 1;
      if (isRepeat) remembered(seen, 'without expiry').add(right);
      return right;
    },
    refusal: (right, seen) =>
      right?.name === 'acs-token-expired' && remembered(seen, 'without expiry').has(sentToken(seen))
        ? undefined
        : right,
  };
}
