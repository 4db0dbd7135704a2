import { X509Certificate } from 'node:crypto';
import { type LocalTls, type LocalTlsTools, localServer } from '../../app/local-tls.ts';
import type { Identity } from '../../crypto/certificates.ts';
import type { HostName } from '../../crypto/host-names.ts';
import type { Session } from '../session.ts';

/** What makes and keeps the certificates of this profile. */
export async function toolsOf(session: Session): Promise<LocalTlsTools> {
  const { now, randomBytes, generateKeyPair } = session.context;
  const { localTls: store } = await session.state();
  return { store, now, randomBytes, generateKeyPair: () => generateKeyPair(2048) };
}

/** The certificate with which the emulators of the profile listen. */
export async function openLocalServer(
  names: readonly HostName[],
  session: Session,
): Promise<Required<LocalTls>> {
  const { localTls } = await session.state();
  const before = localTls.read();
  const found = await localServer(names, await toolsOf(session));
  remarkNew(before, found.authority, session);
  return found;
}

/** Programs that trusted the CA of before don't trust a new one. */
function remarkNew(before: LocalTls | undefined, authority: Identity, session: Session): void {
  if (before === undefined) {
    session.note('made a local CA for this profile; nothing trusts it until you configure it');
    return;
  }
  if (before.authority.certificate === authority.certificate) return;
  const { validTo } = new X509Certificate(authority.certificate);
  session.warn(
    `the local CA had expired, or was about to, and was replaced: make your programs trust the new one, which is valid until ${validTo}`,
  );
}
