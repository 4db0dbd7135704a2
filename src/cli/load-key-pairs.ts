import { exportPrivateKey } from '../crypto/rsa-key.ts';
import type { Session } from './session.ts';

/**
 * The service's key pairs of one load, as PEM: of four primes, because to open a key with one takes
 * a quarter less time than with one of two, and a load opens a key with each sign-up. What is sent
 * of them, the public key, is like any other. All are made at once, on the thread pool.
 */
export async function makeLoadKeyPairs(
  count: number,
  session: Session,
): Promise<readonly string[]> {
  const progress = session.progress('Making service key pairs');
  const pairs = await Promise.all(
    Array.from({ length: count }, () => session.context.generateKeyPair(2048, 4)),
  ).finally(() => progress.stop());
  const texts = pairs.map(exportPrivateKey);
  for (const text of texts) session.secrets.add(text);
  return texts;
}
