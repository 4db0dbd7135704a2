import { randomBytes } from 'node:crypto';
import { type AddressOverride, parseAddressOverride } from '../client/addresses.ts';
import type { CallOutcome } from '../client/call.ts';
import { statusOf, type Transport } from '../client/exchange.ts';
import { generateKeyPair } from '../client/key-pair.ts';
import { preciseNow } from '../clock.ts';
import { type Cipher, defaultCipher, parseCipher } from '../crypto/cipher.ts';
import type { Operation } from '../emulator/handling.ts';
import { AuthcliError } from '../errors.ts';
import type { CallSummary, NetworkOptions } from './calls.ts';

/** The clock and randomness of the library: with those of main.ts the only real ones. */
export const environment = { now: preciseNow, randomBytes, generateKeyPair };

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isCount = (value: unknown) => typeof value === 'number' && value >= 0;
const isPort = (value: unknown) =>
  Number.isInteger(value) && isCount(value) && Number(value) < 65536;

type Kind = readonly [what: string, fits: (value: unknown) => boolean, names: string];

/** What an option has to be, in whatever function it is. */
const kinds: readonly Kind[] = [
  [
    'a string',
    isText,
    'as ca cert certKey cipher clientId email encPartnerKey expireTimeZone host key name notation phone proxy ptnCd ptnToken publicKey secretKey seed superPasscode',
  ],
  ['a string or URL', (value) => isText(value) || value instanceof URL, 'authUrl callbackUrl url'],
  ['a number from 0', isCount, 'latencyMs ptnTokenTtlMs retries timeoutMs tokenTtlMs waitMs'],
  ['a port number', isPort, 'port'],
  ['a boolean', (value) => typeof value === 'boolean', 'bail insecure showSecrets strict'],
  ['a function', (value) => typeof value === 'function', 'findUser onCheck onExchange'],
  [
    'a string or bytes',
    (value) => isText(value) || value instanceof Uint8Array,
    'knownPlaintext plaintext',
  ],
  [
    'a string or a list of strings',
    (value) => isText(value) || isTexts(value),
    'check payload privateKey skip',
  ],
  ['a list of strings', isTexts, 'earlierPrivateKeys faults userCodes'],
  ['a list of objects', (value) => Array.isArray(value) && value.every(isObject), 'knownFailures'],
  ['an object', isObject, 'headers resolve'],
  ['an AbortSignal', (value) => value instanceof AbortSignal, 'signal'],
  [
    'an object, a string or false',
    (value) => isObject(value) || isText(value) || value === false,
    'userInfo',
  ],
  [
    'a number, or a list of users',
    (value) => isCount(value) || (isObject(value) && Symbol.iterator in Object(value)),
    'users',
  ],
];

/** Throws `usage` for options that callers without types got wrong or left out, naming the first of them. */
export function checkOptions(options: unknown, ...required: readonly string[]): void {
  if (!isObject(options))
    throw new AuthcliError('usage', 'The options are not an object.', { hint: 'Give an object.' });
  const given = new Map(Object.entries(options as object));
  for (const name of new Set([...required, ...given.keys()])) {
    const kind = kinds.find(([, , names]) => names.split(' ').includes(name));
    const problem = kind && problemOf(given.get(name), kind, required.includes(name));
    if (problem === undefined) continue;
    throw new AuthcliError('usage', `The option ${name} is ${problem}.`, {
      hint: `Give ${name} as ${kind?.[0]}.`,
    });
  }
}

function problemOf(value: unknown, [what, fits]: Kind, isRequired: boolean): string | undefined {
  if (value === undefined) return isRequired ? 'missing' : undefined;
  if (!fits(value)) return `not ${what}`;
  return isRequired && String(value) === '' ? 'empty' : undefined;
}

/** Reads a cipher's notation or preset; throws `usage`. */
export function readCipher(notation: string | undefined): Cipher {
  return notation === undefined ? defaultCipher : parseCipher(notation);
}

/** Runs `work` with connections of its own; throws `usage` for unusable options. */
export async function withTransport<T>(
  options: NetworkOptions,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const { timeoutMs = 10_000, headers = {}, proxy, resolve = {}, signal } = options;
  signal?.throwIfAborted();
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    const hint = 'Give milliseconds above 0.';
    throw new AuthcliError('usage', `timeoutMs can't be ${timeoutMs}.`, { hint });
  }
  const { createTransport } = await import('../client/transport.ts');
  const transport = createTransport({
    ...options,
    timeoutMs,
    now: environment.now,
    headers: Object.entries(headers),
    proxy: { http: proxy, https: proxy },
    resolve: Object.entries(resolve).map(override),
  });
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

function override([place, addresses]: [string, string | readonly string[]]): AddressOverride {
  try {
    return parseAddressOverride(`${place}:${[addresses].flat().join(',')}`);
  } catch (cause) {
    const message = `The option resolve can't lead ${JSON.stringify(place)} there.`;
    const hint =
      "Write name and port, and an address or a list of them: { 'app.example.com:443': '127.0.0.1' }.";
    throw new AuthcliError('usage', message, { hint, cause });
  }
}

/** A call as the library returns it. */
export function summariseCall(operation: Operation, outcome: CallOutcome<unknown>): CallSummary {
  const { ok, exchange, reading, diagnosis, notes } = outcome;
  return {
    operation,
    ok,
    httpStatus: statusOf(exchange),
    code: reading?.code,
    message: reading?.message,
    durationMs: exchange.durationMs,
    diagnosis,
    notes,
    exchange,
  };
}
