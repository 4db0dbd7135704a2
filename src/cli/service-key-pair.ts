import type { KeyExchangeInput } from '../client/signup.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
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
  const keyPair = await profileKeyPair(stored, options, session);
  const earlier = [...serviceKeyPairs.earlier(), ...(stored === undefined ? [] : [stored])];
  const earlierKeyPairs = earlier
    .map((pem) => secretKeyPair(pem, session))
    .filter(({ publicKey }) => publicKey.fingerprint !== keyPair.publicKey.fingerprint);
  return { keyPair, earlierKeyPairs };
}

async function profileKeyPair(
  stored: string | undefined,
  { keyBits, freshKeyPair, noSave, dryRun }: KeyPairOptions,
  session: Session,
): Promise<RsaPrivateKey> {
  const current = stored === undefined ? undefined : secretKeyPair(stored, session);
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

function secretKeyPair(pem: string, session: Session): RsaPrivateKey {
  session.secrets.add(pem);
  return readPrivateKey(pem).key;
}
