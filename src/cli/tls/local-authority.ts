import { X509Certificate } from 'node:crypto';
import {
  type LocalTls,
  type LocalTlsTools,
  localAuthority,
  localServer,
} from '../../app/local-tls.ts';
import type { Identity } from '../../crypto/certificates.ts';
import type { HostName } from '../../crypto/host-names.ts';
import { hasCode } from '../../errors.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

/** What makes and keeps the certificates of this profile. */
export async function toolsOf(session: Session): Promise<LocalTlsTools> {
  const { now, randomBytes, generateKeyPair } = session.context;
  const { localTls: store } = await session.state();
  return { store, now, randomBytes, generateKeyPair: () => generateKeyPair(2048) };
}

/** The CA of the profile; its file is what programs are to trust. */
export async function openAuthority(
  session: Session,
  permitted: readonly HostName[] = [],
): Promise<{ readonly authority: Identity; readonly file: string }> {
  const { localTls } = await session.state();
  const before = localTls.read();
  const authority = await localAuthority(await toolsOf(session), permitted);
  remarkNew(before, authority, session);
  return { authority, file: localTls.authorityFile };
}

/** The certificate with which the emulators of the profile listen. */
export async function openLocalServer(
  names: readonly HostName[],
  session: Session,
): Promise<Required<LocalTls>> {
  const { localTls } = await session.state();
  const before = localTls.read();
  const found = await withNewAuthorityHint(localServer(names, await toolsOf(session)));
  remarkNew(before, found.authority, session);
  return found;
}

/** Says how to get a CA that may sign for a name that this one may not sign for. */
export async function withNewAuthorityHint<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const name = hasCode(error, 'usage') ? error.data.name : undefined;
    if (!hasCode(error, 'usage') || typeof name !== 'string') throw error;
    throw usage(
      error.message,
      `Make a new CA that may: \`authcli tls remove\`, then \`authcli tls ca --permit ${name}\`. Or give a certificate of your own with --tls-cert.`,
    );
  });
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
