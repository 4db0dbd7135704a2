import type { Delivery, EmulatorRequest } from '../http.ts';
import { defineServiceFaults, type Hooks, recall, type ServicePoints, sentIn } from './points.ts';

/** Refusals without a response: the connection ends before the response, or never. */
const withoutResponse = defineServiceFaults({ check: 'service/rejects-wrong-secret' })({
  'refusals-reset': {
    title: 'Resets the connection instead of refusing',
    diagnosis: 'reset',
    apply: whenRefusing({ breakOff: 'reset' }),
  },
  'refusals-closed': {
    title: 'Closes the connection instead of refusing',
    diagnosis: 'reset',
    apply: whenRefusing({ breakOff: 'close' }),
  },
  'refusals-truncated': {
    title: 'Closes the connection in the middle of a refusal',
    diagnosis: 'reset',
    apply: whenRefusing({ breakOff: 'truncate' }),
  },
  'refusals-silent': {
    title: 'Never responds where it should refuse',
    diagnosis: 'timeout',
    apply: whenRefusing({ breakOff: 'silence' }),
  },
});

/** The secret key is found outside of the body (section 5 rule 1). */
const secretElsewhere = defineServiceFaults({
  check: 'service/secret-in-body-only',
  diagnosis: 'accepted-bad-input',
})({
  'accepts-secret-in-header': {
    title: 'Reads the secret_key from a header secret_key or Secret-Key too',
    apply: readsFrom(({ headers }) => 'secret_key' in headers || 'secret-key' in headers),
  },
  'accepts-secret-in-x-header': {
    title: 'Reads the secret_key from a header X-Secret-Key too',
    apply: readsFrom(({ headers }) => 'x-secret-key' in headers),
  },
  'accepts-secret-as-api-key': {
    title: 'Reads the secret_key from a header X-Api-Key too',
    apply: readsFrom(({ headers }) => 'x-api-key' in headers),
  },
  'accepts-secret-in-cookie': {
    title: 'Reads the secret_key from a cookie too',
    apply: readsFrom(({ headers }) => 'cookie' in headers),
  },
  'accepts-secret-as-bearer': {
    title: 'Reads the secret_key from a bearer token too',
    apply: readsFrom(({ headers }) => /^bearer /i.test(headers.authorization ?? '')),
  },
  'accepts-secret-in-basic': {
    title: 'Reads the secret_key from Basic authentication too',
    apply: readsFrom(({ headers }) => /^basic /i.test(headers.authorization ?? '')),
  },
  'accepts-secret-in-query': {
    title: 'Reads the secret_key from the query too',
    apply: readsFrom(({ query = '' }) => new URLSearchParams(query).has('secret_key')),
  },
});

/** Until then, a token counts as not used; its first response comes later. */
const raceMs = 500;

const races = defineServiceFaults({
  check: 'service/rejects-parallel-use',
  diagnosis: 'accepted-bad-input',
})({
  'marks-acs-token-late': {
    title:
      'Marks an acs_token as used only with its response, so that requests at the same time pass',
    apply: {
      refusal: (right, seen) => {
        if (seen.operation !== 'authenticate') return right;
        const firstUses = recall(seen, 'first-uses', () => new Map<unknown, number>());
        const token = sentIn(seen).acs_token;
        const since = seen.now - (firstUses.get(token) ?? seen.now);
        if (right === undefined && !firstUses.has(token)) firstUses.set(token, seen.now);
        return right?.name === 'acs-token-used' && since < raceMs ? undefined : right;
      },
      response: (right, { operation, refusal }) =>
        operation === 'authenticate' && refusal === undefined
          ? { ...right, delivery: { delayMs: raceMs + 100 } }
          : right,
    },
  },
});

/** Faults in what the service refuses, and how. */
export const refusingFaults = [...withoutResponse, ...secretElsewhere, ...races];

function whenRefusing(delivery: Delivery): Hooks<ServicePoints> {
  return { response: (right, { refusal }) => (refusal ? { ...right, delivery } : right) };
}

/** Lifts the refusal of a secret outside the body, and then that of the body without it. */
function readsFrom(isIn: (request: EmulatorRequest) => boolean): Hooks<ServicePoints> {
  return {
    refusal: (right, { request }) =>
      (right?.name === 'secret-outside-body' || right?.name === 'field-missing') && isIn(request)
        ? undefined
        : right,
  };
}
