import { parseCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { type CapturedExchange, subjectOf } from '../../src/traffic/capture.ts';
import { Learner, type Lesson } from '../../src/traffic/learn.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

export const start = Date.UTC(2026, 10, 23, 3, 4, 5);
export const users = ['ada', 'grace', 'edsger', 'barbara', 'donald', 'frances'];
/** The per-user key of a user of these tests. */
export const keyOf = (user: string) => Buffer.from(seededBytes(user)(16)).toString('hex');
const passcodes = ['134457', 'p4ssw0rd!', '902215', 'Tr0ub4dor', '71-99-23', 'horse battery'];

interface Told {
  readonly request?: unknown;
  readonly response?: unknown;
  readonly key?: string;
  readonly at?: number;
  readonly headers?: readonly (readonly [string, string])[];
}

let seen = 0;
export function exchange({ request, response, key, at = start, headers }: Told): CapturedExchange {
  const message = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)), headers });
  const [sent, received] = [message(request), { ...message(response), status: 200 }];
  seen += 1;
  return {
    source: `line ${seen}`,
    ...subjectOf(sent, received),
    startedAt: at,
    durationMs: 10,
    request: sent,
    response: received,
    ...(key !== undefined && { key: Secret.key(key) }),
  };
}

export function learn(exchanges: readonly CapturedExchange[]): ReadonlyMap<string, Lesson> {
  const learner = new Learner();
  for (const each of exchanges) learner.observe(each);
  return new Map(learner.read().map((lesson) => [lesson.setting, lesson]));
}

export function registrations(
  encrypt: (text: string, key: string) => string,
  info: (user: string) => string,
  count = 3,
): readonly CapturedExchange[] {
  return users.slice(0, count).map((user, index) => {
    const key = keyOf(user);
    const request = {
      client_id: 'c',
      used_type: '2',
      ptn_cd: user,
      partner_sp: encrypt(passcodes[index] ?? '', key),
      ubifill: encrypt(info(user), key),
    };
    return exchange({ request, response: { code: '0000', message: '' }, key });
  });
}

export const jsonInfo = (user: string) =>
  JSON.stringify({ email: `${user}@example.com`, name: user, phone: '010-1234-5678' });

export function sealWith(notation: string) {
  const cipher = parseCipher(notation);
  const bytes = seededBytes(notation);
  return (text: string, key: string) => encryptPayload(Buffer.from(text), key, cipher, bytes);
}
