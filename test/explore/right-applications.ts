import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  type EmulatorRequest,
  type EmulatorResponse,
  jsonResponse,
} from '../../src/emulator/http.ts';
import { clientId } from '../conformance/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

/*
 * Right applications in memory, written apart from the reference application with node:crypto alone, in
 * each way that the interface leaves open.
 */

/** What the interface leaves to the application. */
export interface Style {
  /** Whether a registration may be encrypted with a key before the stored one; refused by default. */
  readonly earlierKey?: 'works' | 'becomes-stored';
  /** A user registers once under each key; as often as they want by default. */
  readonly registersOnce?: boolean;
  /** Refuses the user codes that it does not want, given those that it knows. */
  readonly refusesCode?: (ptnCd: string, known: Iterable<string>) => boolean;
  readonly refusesOtherFields?: boolean;
  readonly mostKeyBits?: number;
  /** Responds to the requests of every client. */
  readonly anyClient?: boolean;
  /** The HTTP status of refusals. */
  readonly refusalStatus?: number;
  /** Requests at the same time are handled in any order. */
  readonly isShuffling?: boolean;
}

interface StoredUser {
  readonly keys: string[];
  isRegistered: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Refuses a request, with the message. */
class Refused extends Error {}

/** The handler of such an application, without users. */
export function rightApplication(style: Style, seed = 'right') {
  const users = new Map<string, StoredUser>();
  const randomBytes = seededBytes(seed);
  const pause = async () => {
    const turns = style.isShuffling ? (randomBytes(1)[0] ?? 0) % 6 : 0;
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  };
  return async ({ body }: EmulatorRequest): Promise<EmulatorResponse> => {
    await pause();
    const [status, value] = respond(body);
    await pause();
    return jsonResponse(status, encodeUtf8(JSON.stringify(value)));
  };

  function respond(body: Uint8Array): [number, object] {
    try {
      const fields = JSON.parse(Buffer.from(body).toString()) as Fields;
      return [200, { code: '0000', message: '', ...handle(fields) }];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [style.refusalStatus ?? 200, { code: '9999', message }];
    }
  }

  function handle(fields: Fields): object {
    if (!style.anyClient && fields.client_id !== clientId) throw new Refused('client_id');
    const ptnCd = textOf(fields, 'ptn_cd');
    if (fields.used_type === '1') return exchangeKey(fields, ptnCd);
    if (fields.used_type === '2') return register(fields, ptnCd);
    throw new Refused('used_type');
  }

  function exchangeKey(fields: Fields, ptnCd: string): object {
    checkFields(fields, ['client_id', 'used_type', 'ptn_cd', 'public_key']);
    const der = Buffer.from(textOf(fields, 'public_key'), 'base64');
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
    if (bits === 0 || bits > (style.mostKeyBits ?? 16_384)) throw new Refused('public_key');
    if (!users.has(ptnCd) && style.refusesCode?.(ptnCd, users.keys())) throw new Refused('ptn_cd');
    const key = Buffer.from(randomBytes(16)).toString('hex');
    const padding = constants.RSA_PKCS1_PADDING;
    const wrapped = publicEncrypt({ key: publicKey, padding }, Buffer.from(key));
    const user = users.get(ptnCd) ?? { keys: [], isRegistered: false };
    user.keys.push(key);
    user.isRegistered = false;
    users.set(ptnCd, user);
    return { result: { enc_partner_key: wrapped.toString('base64') } };
  }

  function register(fields: Fields, ptnCd: string): object {
    checkFields(fields, ['client_id', 'used_type', 'ptn_cd', 'partner_sp', 'ubifill']);
    const user = users.get(ptnCd);
    if (user === undefined) throw new Refused('unknown user');
    if (style.registersOnce && user.isRegistered) throw new Refused('registered');
    const payloads = [textOf(fields, 'partner_sp')];
    if (fields.ubifill !== undefined) payloads.push(textOf(fields, 'ubifill'));
    const keys = style.earlierKey === undefined ? user.keys.slice(-1) : [...user.keys].reverse();
    const key = keys.find((each) => payloads.every((payload) => opens(payload, each)));
    if (key === undefined) throw new Refused('undecryptable');
    if (style.earlierKey === 'becomes-stored') {
      user.keys.splice(user.keys.indexOf(key), 1);
      user.keys.push(key);
    }
    user.isRegistered = true;
    return {};
  }

  function checkFields(fields: Fields, known: readonly string[]): void {
    const isKnown = Object.keys(fields).every((name) => known.includes(name));
    if (style.refusesOtherFields && !isKnown) throw new Refused('unknown field');
  }
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new Refused(name);
  return value;
}

/** By the default cipher. */
function opens(payload: string, key: string): boolean {
  const bytes = Buffer.from(payload, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
    decipher.update(bytes.subarray(16));
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

const folded = (code: string) =>
  code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}|\s/gu, '');
const isOdd = (code: string) => !/^[\x21-\x7e]{1,24}$/.test(code);
const isNear = (code: string, known: Iterable<string>) =>
  [...known].some((each) => folded(each) === folded(code));

/** Each with its name in the table of the hardening trials. */
export const styles: Readonly<Record<string, Style>> = {
  'the least it needs': {},
  'an earlier key works': { earlierKey: 'works' },
  'an earlier key becomes the stored one': { earlierKey: 'becomes-stored' },
  'registers once under a key': { registersOnce: true },
  'an earlier key works, and registers once': { earlierKey: 'works', registersOnce: true },
  'refuses codes outside ASCII, and long ones': { refusesCode: isOdd },
  'refuses codes nearly equal to known ones': { refusesCode: isNear },
  'refuses unknown fields and large keys, with HTTP 400': {
    refusesOtherFields: true,
    mostKeyBits: 2048,
    refusalStatus: 400,
  },
  'any client, and HTTP 500 for refusals': { anyClient: true, refusalStatus: 500 },
  'any order of requests at the same time': { isShuffling: true },
  'any order, and an earlier key becomes the stored one': {
    isShuffling: true,
    earlierKey: 'becomes-stored',
    registersOnce: true,
  },
};
