import { encodeHex } from '../bytes.ts';
import {
  type CipherProbeInput,
  type CipherProbeOutcome,
  probeCipher,
} from '../client/cipher-probe.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher-notation.ts';
import type { PrivateKeyReading } from '../crypto/private-key.ts';
import type { Secret } from '../crypto/secret.ts';
import { likelyCiphers } from '../diagnosis/likely-ciphers.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { tallyText } from '../reports/tally.ts';
import { keyPairs } from './service-key-pair.ts';
import type { Session } from './session.ts';

/** User codes of test users begin with this, so that they can be found and removed. */
export const probePrefix = 'authcli-probe-';

/** What a probe is told. */
interface ProbeOptions {
  readonly url: URL;
  readonly clientId: string;
  /** The cipher to try first. */
  readonly cipher: Cipher;
  readonly limit: number;
  readonly privateKey: readonly PrivateKeyReading[];
  readonly userInfo?: Secret | undefined;
  readonly noUserInfo: boolean;
}

/** Finds the cipher that an application expects, with test users; their keys are secrets from then on. */
export async function findCipher(
  options: ProbeOptions,
  transport: Transport,
  session: Session,
): Promise<CipherProbeOutcome> {
  const { href } = options.url;
  const input = await probeInput(options, session);
  const { now } = session.context;
  const startedAt = now();
  const progress = session.progress(`Probing ${href}`);
  const onProgress = (done: number) =>
    progress.update(
      () =>
        `${tallyText({ unit: 'test users', done, elapsedMs: now() - startedAt })}: probing ${href}`,
    );
  const outcome = await probeCipher(transport, { ...input, onProgress }).finally(() =>
    progress.stop(),
  );
  for (const { key } of outcome.trials) session.secrets.add(key);
  return outcome;
}

async function probeInput(options: ProbeOptions, session: Session): Promise<CipherProbeInput> {
  const { url, clientId, cipher, limit, privateKey } = options;
  const { randomBytes, now } = session.context;
  const unsaved = { keyBits: undefined, freshKeyPair: false, noSave: true, dryRun: false };
  return {
    url,
    clientId,
    ...(await keyPairs({ privateKey, ...unsaved }, session)),
    ciphers: likelyCiphers(cipher),
    limit,
    userInfo: options.noUserInfo ? undefined : (options.userInfo?.reveal() ?? testUserInformation),
    nextUserCode: () => probePrefix + encodeHex(randomBytes(6)),
    randomBytes,
    now: now(),
  };
}

/** Of nobody, so it is no secret. */
const testUserInformation = encodeUserInformation({
  email: 'authcli-probe@example.com',
  name: 'Test User',
  phone: '+1-555-0100',
});
