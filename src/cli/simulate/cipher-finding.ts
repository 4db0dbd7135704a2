import { encodeHex } from '../../bytes.ts';
import { type CipherProbeInput, probeCipher } from '../../client/cipher-probe.ts';
import type { Transport } from '../../client/exchange.ts';
import { TestUsers } from '../../client/test-users.ts';
import { type Cipher, defaultCipher, formatCipher, parseCipher } from '../../crypto/cipher.ts';
import type { PrivateKeyReading } from '../../crypto/key-reading.ts';
import type { Secret } from '../../crypto/secret.ts';
import { encodeUserInformation } from '../../protocol/user.ts';
import type { Session } from '../session.ts';
import { keyPairs } from './signup.ts';

/** Prefix of the user codes, so that test users can be found and removed. */
export const probePrefix = 'authcli-probe-';

interface ProbeOptions extends Pick<CipherProbeInput, 'url' | 'clientId' | 'limit' | 'cipher'> {
  readonly privateKey: readonly PrivateKeyReading[];
  readonly userInfo?: Secret | undefined;
  readonly noUserInfo: boolean;
}

/** Finds the cipher that an application expects. The keys of its test users are redacted from then on. */
export async function findCipher(options: ProbeOptions, transport: Transport, session: Session) {
  const { url, clientId, cipher, limit, privateKey } = options;
  const { randomBytes, now } = session.context;
  const pairs = await keyPairs({ privateKey, noSave: true }, session);
  const progress = session.progress(`Probing ${url.href}`);
  const users = new TestUsers(transport, {
    nextUserCode: () => probeCode(session),
    onKey: (key) => session.secrets.addFromPeer(key),
    onProgress: (done) => progress.update(() => `${done} test users: probing ${url.href}`),
  });
  const outcome = await probeCipher(users, {
    url,
    clientId,
    ...pairs,
    cipher,
    limit,
    userInfo: options.noUserInfo ? undefined : (options.userInfo?.reveal() ?? testUserInformation),
    randomBytes,
    now: now(),
  }).finally(() => progress.stop());
  return { ...outcome, testUsers: users.codes.length };
}

/** As long as the code of an invented user, so that a column that takes one takes the other. */
export function probeCode({ context }: Session): string {
  return probePrefix + encodeHex(context.randomBytes(3));
}

/** Where the cipher of this run comes from, for messages: "profile default", "--cipher". */
export async function cipherOrigin(cipher: Cipher, session: Session): Promise<string> {
  const notation = formatCipher(cipher);
  const setting = await session.setting('cipher');
  const isSet = typeof setting === 'string' && formatCipher(parseCipher(setting)) === notation;
  if (isSet) return `profile ${(await session.state()).profile}`;
  return notation === formatCipher(defaultCipher) ? 'the default' : '--cipher';
}

/** Invented, so not a secret. */
const testUserInformation = encodeUserInformation({
  email: 'authcli-probe@example.com',
  name: 'Test User',
  phone: '+1-555-0100',
});
