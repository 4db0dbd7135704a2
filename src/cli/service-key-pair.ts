import type { KeyExchangeInput } from '../client/signup.ts';
import { openPrivateKey } from '../crypto/open-private-key.ts';
import { exportPrivateKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Session } from './session.ts';
import type { KeyPairOptions } from './simulation-flags.ts';

/**
 * The key pairs for a key exchange: those given, or the profile's, which is made once and kept,
 * since making one costs more than a whole sign-up.
 */
export async function keyPairs(
  options: KeyPairOptions,
  session: Session,
): Promise<Pick<KeyExchangeInput, 'keyPair' | 'earlierKeyPairs'>> {
  for (const note of options.privateKey.flatMap(({ notes }) => notes)) session.note(note);
  const [given, ...others] = options.privateKey.map(({ key }) => key);
  if (given !== undefined) return { keyPair: given, earlierKeyPairs: others };
  const { serviceKeyPairs } = await session.state();
  const stored = serviceKeyPairs.get();
  const current = stored === undefined ? undefined : await secretKeyPair(stored, session);
  const earlier = serviceKeyPairs.earlier();
  const keyPair = await profileKeyPair(current, options, session);
  const read = await Promise.all(earlier.map((pem) => secretKeyPair(pem, session)));
  const known = current === undefined || current === keyPair ? read : [...read, current];
  const earlierKeyPairs = known.filter(
    ({ publicKey }) => publicKey.fingerprint !== keyPair.publicKey.fingerprint,
  );
  return { keyPair, earlierKeyPairs };
}

async function profileKeyPair(
  current: RsaPrivateKey | undefined,
  { keyBits, freshKeyPair, noSave, dryRun }: KeyPairOptions,
  session: Session,
): Promise<RsaPrivateKey> {
  const fits = current !== undefined && (keyBits === undefined || current.modulusBits === keyBits);
  if (fits && !freshKeyPair) return current;
  const progress = session.progress('Making a service key pair');
  const made = await session.context
    .generateKeyPair(keyBits ?? 2048)
    .finally(() => progress.stop());
  const pem = exportPrivateKey(made);
  session.secrets.add(pem);
  if (noSave || dryRun) return made;
  const { serviceKeyPairs } = await session.state();
  if (current === undefined) return secretKeyPair(await serviceKeyPairs.putFirst(pem), session);
  await serviceKeyPairs.put(pem);
  return made;
}

async function secretKeyPair(pem: string, session: Session): Promise<RsaPrivateKey> {
  session.secrets.add(pem);
  return (await openPrivateKey(pem)).key;
}
