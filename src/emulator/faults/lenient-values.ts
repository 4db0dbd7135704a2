import { isJsonObject, readJson } from '../../protocol/json.ts';
import type { Refusal } from '../handling.ts';
import {
  defineServiceFaults,
  type FaultRows,
  type Hooks,
  recall,
  type ServicePoints,
  type Situation,
  sentIn,
} from './points.ts';

/** A value that isn't the right one, and whether a value sent is that to a right one. */
type IsNear = (sent: unknown, right: string) => boolean;

interface Near {
  readonly title: string;
  readonly is: IsNear;
  /** A `ptn_token` that is it; the right one is known only once it is exchanged. */
  readonly ptnToken?: RegExp;
}

const nears = {
  shorter: {
    title: 'without its last character',
    is: (sent, right) => right.length > 1 && sent === right.slice(0, -1),
    ptnToken: /^authcli-ptn-1\.[\w-]+\.[\w-]{42}$/,
  },
  longer: {
    title: 'with extra characters',
    is: (sent, right) =>
      isText(sent) && sent !== right && sent.startsWith(right) && !/\s/.test(sent),
    ptnToken: /^authcli-ptn-1\.[\w-]+\.[\w-]{44}$/,
  },
  'other-case': {
    title: 'in any case',
    is: (sent, right) =>
      isText(sent) && sent !== right && sent.toLowerCase() === right.toLowerCase(),
    ptnToken: /^AUTHCLI-PTN-1\./,
  },
  empty: { title: 'that is empty', is: (sent) => sent === '' },
  null: { title: 'that is null', is: (sent) => sent === null },
  zero: { title: 'that is the number 0', is: (sent) => sent === 0 },
  true: { title: 'that is true', is: (sent) => sent === true },
  object: { title: 'that is any object', is: isJsonObject },
} as const satisfies Readonly<Record<string, Near>>;

const fields = {
  'secret-key': { names: ['secret_key'], what: 'a secret_key', check: 'service/exact-credentials' },
  'client-id': { names: ['client_id'], what: 'a client_id', check: 'service/exact-credentials' },
  token: {
    names: ['ptn_token', 'acs_token'],
    what: 'a ptn_token or acs_token',
    check: 'service/exact-tokens',
  },
} as const;

type Shared = { readonly diagnosis: 'accepted-bad-input' };
type Rows = FaultRows<
  ServicePoints,
  Shared,
  `accepts-${keyof typeof fields}-${keyof typeof nears}`
>;

function rows(): Rows {
  const entries = Object.entries(fields).flatMap(([prefix, { names, what, check }]) =>
    Object.entries<Near>(nears).map(([name, { title, is, ptnToken }]) => [
      `accepts-${prefix}-${name}`,
      { title: `Accepts ${what} ${title}`, check, apply: lenient(names, is, ptnToken) },
    ]),
  );
  return Object.fromEntries(entries);
}

/** Values that are not the right ones are accepted. */
export const lenientValueFaults = defineServiceFaults({ diagnosis: 'accepted-bad-input' })({
  ...rows(),
  'accepts-acs-token-as-ptn-token': {
    title: 'Accepts an acs_token as ptn_token',
    check: 'service/exact-tokens',
    apply: {
      acsToken: remembersToken,
      refusal: (right, seen) => {
        const isIssued = knownOf(seen).acs_token.has(String(sentIn(seen).ptn_token));
        return right?.name === 'ptn-token' && isIssued ? undefined : right;
      },
    },
  },
  'accepts-foreign-ptn-token': {
    title: 'Accepts a ptn_token that was issued for another client',
    check: 'service/rejects-foreign-ptn-token',
    apply: {
      refusal: (right, seen) => {
        const claims = claimsIn(String(sentIn(seen).ptn_token));
        const isForeign = claims !== undefined && claims[0] !== seen.clientId;
        return right?.name === 'ptn-token' && isForeign ? undefined : right;
      },
    },
  },
  'accepts-ptn-token-as-acs-token': {
    title: 'Accepts a ptn_token as acs_token',
    check: 'service/exact-tokens',
    apply: {
      refusal: (right, seen) => {
        const isPtn = wholePtnToken.test(String(sentIn(seen).acs_token));
        return right?.name === 'acs-token' && isPtn ? undefined : right;
      },
    },
  },
  'trims-values': {
    title: 'Ignores white space around credentials and tokens',
    check: 'service/exact-form',
    apply: lenient(
      ['client_id', 'secret_key', 'ptn_token', 'acs_token'],
      (sent, right) => isText(sent) && sent !== right && sent.trim() === right,
      /^\s+authcli-ptn-1\.[\w-]+\.[\w-]{43}\s+$/,
    ),
  },
  'accepts-arrays': {
    title: 'Takes the first item where a credential or token is an array',
    check: 'service/exact-form',
    apply: lenient(['client_id', 'secret_key', 'ptn_token', 'acs_token'], Array.isArray),
  },
});

const wholePtnToken = /^authcli-ptn-1\.[\w-]+\.[\w-]{43}$/;

/** What a `ptn_token` says, its MAC not verified; the client first. */
function claimsIn(ptnToken: string): readonly unknown[] | undefined {
  const [, claims = ''] = wholePtnToken.test(ptnToken) ? ptnToken.split('.') : [];
  const reading = readJson(Buffer.from(claims, 'base64url'));
  return reading.ok && Array.isArray(reading.value) ? reading.value : undefined;
}

type FieldName = 'client_id' | 'secret_key' | 'ptn_token' | 'acs_token';

/** Lifts the refusal of a request for one of these fields, if its value is near a right one. */
function lenient(
  names: readonly FieldName[],
  isNear: IsNear,
  ptnToken?: RegExp,
): Hooks<ServicePoints> {
  const isLifted = (seen: Situation): boolean =>
    names.some((name) => {
      const value = sentIn(seen)[name];
      if (!isText(value) || value === '') return isNear(value, '');
      if (name === 'ptn_token') return ptnToken?.test(value) ?? false;
      return [...knownOf(seen)[name]].some((right) => isNear(value, right));
    });
  return {
    acsToken: remembersToken,
    refusal: (right, seen) => {
      if (right === undefined) remembersSecret(seen);
      return right && isOfValue(right) && isLifted(seen) ? undefined : right;
    },
  };
}

function isOfValue({ name }: Refusal): boolean {
  return ['field-missing', 'field-type', 'client', 'ptn-token', 'acs-token'].includes(name);
}

/** The right values, as far as requests and responses have shown them. */
function knownOf(seen: Situation): Readonly<Record<Exclude<FieldName, 'ptn_token'>, Set<string>>> {
  return recall(seen, 'right-values', () => ({
    client_id: new Set([seen.clientId]),
    secret_key: new Set<string>(),
    acs_token: new Set<string>(),
  }));
}

/** Of a request whose credentials are right. */
function remembersSecret(seen: Situation): void {
  knownOf(seen).secret_key.add(String(sentIn(seen).secret_key));
}

function remembersToken(right: string, seen: Situation): string {
  knownOf(seen).acs_token.add(right);
  return right;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
