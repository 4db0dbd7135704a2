import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { derTags, readDerChildren, readDerElement, writeDer } from './der.ts';
import { type HostName, permittedNames } from './host-names.ts';
import { exportPrivateKey, type RsaPrivateKey } from './rsa-key.ts';
import { Secret } from './secret.ts';

export interface Identity {
  readonly certificate: string;
  readonly privateKey: Secret;
}

/** What is drawn and measured outside of this pure folder. */
interface Order {
  readonly commonName: string;
  readonly keyPair: RsaPrivateKey;
  /** 16 random bytes, which can't be predicted. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** A root that signs only servers, and only for some names (RFC 5280 4.2.1.9, 4.2.1.10). */
export function createAuthority(order: Order): Identity {
  const subject = nameOf(order.commonName);
  const { publicKey } = order.keyPair;
  return issue(order, { name: subject, privateKey: exportPrivateKey(order.keyPair) }, subject, [
    extension(ids.basicConstraints, sequence(yes, integer(Uint8Array.of(0))), 'critical'),
    // keyCertSign and cRLSign
    extension(ids.keyUsage, bits(Uint8Array.of(0b110), 1), 'critical'),
    // no rule of RFC 5280 for a CA, but what OpenSSL, Go, Windows and browsers go by
    forServers,
    extension(ids.subjectKeyIdentifier, octets(keyIdentifier(publicKey.keyObject))),
    // critical, as 4.2.1.10 demands: who can't read it must not trust the certificate
    extension(ids.nameConstraints, nameConstraints(), 'critical'),
  ]);
}

export function issueServerCertificate(
  order: Order & { readonly names: readonly HostName[] },
  issuer: Identity,
): Identity {
  const authority = new X509Certificate(issuer.certificate);
  const issuedBy = { name: subjectOf(authority.raw), privateKey: issuer.privateKey.reveal() };
  const { publicKey } = order.keyPair;
  const names = order.names.map((host) =>
    host.kind === 'dns'
      ? writeDer(contextTag | dnsName, Buffer.from(host.name))
      : writeDer(contextTag | ipAddress, host.bytes),
  );
  return issue(order, issuedBy, nameOf(order.commonName), [
    extension(ids.basicConstraints, sequence(), 'critical'),
    // digitalSignature and keyEncipherment
    extension(ids.keyUsage, bits(Uint8Array.of(0b1010_0000), 5), 'critical'),
    forServers,
    extension(ids.subjectKeyIdentifier, octets(keyIdentifier(publicKey.keyObject))),
    extension(
      ids.authorityKeyIdentifier,
      sequence(writeDer(contextTag, keyIdentifier(authority.publicKey))),
    ),
    extension(ids.subjectAltName, sequence(...names)),
  ]);
}

/** A certificate of version 3 (RFC 5280 4.1), signed by OpenSSL. */
function issue(
  { keyPair, serial, validFrom, validTo }: Order,
  issuer: { readonly name: Uint8Array; readonly privateKey: string },
  subject: Uint8Array,
  extensions: readonly Uint8Array[],
): Identity {
  const algorithm = sequence(identifier(ids.sha256WithRsa), writeDer(derTags.null));
  const content = sequence(
    writeDer(derTags.context0, integer(Uint8Array.of(2))),
    integer(positive(serial)),
    algorithm,
    issuer.name,
    sequence(time(validFrom), time(validTo)),
    subject,
    keyPair.publicKey.keyObject.export({ type: 'spki', format: 'der' }),
    writeDer(derTags.context0 | 3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, createPrivateKey(issuer.privateKey));
  const certificate = new X509Certificate(sequence(content, algorithm, bits(signature)));
  return {
    certificate: certificate.toString(),
    privateKey: Secret.text(exportPrivateKey(keyPair)),
  };
}

/** Contents of object identifiers, in hexadecimal (RFC 5280 A.1 and A.2, RFC 8017 A.2.4). */
const ids = {
  commonName: '550403',
  organizationName: '55040a',
  sha256WithRsa: '2a864886f70d01010b',
  subjectKeyIdentifier: '551d0e',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  authorityKeyIdentifier: '551d23',
  extKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
} as const;

const yes = writeDer(derTags.boolean, Uint8Array.of(0xff));

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return writeDer(derTags.sequence, ...parts);
}

function integer(bytes: Uint8Array): Uint8Array {
  return writeDer(derTags.integer, bytes);
}

function octets(bytes: Uint8Array): Uint8Array {
  return writeDer(derTags.octetString, bytes);
}

/** The last `unused` bits of the last byte are not part of it. */
function bits(bytes: Uint8Array, unused = 0): Uint8Array {
  return writeDer(derTags.bitString, Uint8Array.of(unused), bytes);
}

function identifier(contents: string): Uint8Array {
  return writeDer(derTags.objectIdentifier, Buffer.from(contents, 'hex'));
}

function extension(id: string, value: Uint8Array, critical?: 'critical'): Uint8Array {
  return sequence(identifier(id), ...(critical ? [yes] : []), octets(value));
}

/** The one purpose of all certificates (RFC 5280 4.2.1.12). */
const forServers = extension(ids.extKeyUsage, sequence(identifier(ids.serverAuth)));

/** UTCTime up to 2049, then GeneralizedTime (RFC 5280 4.1.2.5); whole seconds. */
function time(instant: number): Uint8Array {
  const text = new Date(instant).toISOString().replace(/[-:T]|\.\d+/g, '');
  return text < '2050'
    ? writeDer(derTags.utcTime, Buffer.from(text.slice(2)))
    : writeDer(derTags.generalizedTime, Buffer.from(text));
}

function nameOf(commonName: string): Uint8Array {
  const part = (id: string, text: string) =>
    writeDer(
      derTags.set,
      sequence(identifier(id), writeDer(derTags.utf8String, Buffer.from(text))),
    );
  return sequence(part(ids.organizationName, 'authcli'), part(ids.commonName, commonName));
}

/** The subject of a certificate of version 3, as it is encoded there. */
function subjectOf(certificate: Uint8Array): Uint8Array {
  const childrenOf = (bytes: Uint8Array | undefined) => {
    const reading = readDerElement(bytes ?? new Uint8Array());
    return (reading.ok && readDerChildren(reading.element)) || [];
  };
  const [content] = childrenOf(certificate);
  const subject = childrenOf(content?.encoded)[5];
  if (subject === undefined) throw new Error('a certificate that OpenSSL reads has a subject');
  return subject.encoded;
}

/** Method 1 of RFC 5280 4.2.1.2. */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  const key = publicKey.export({ type: 'pkcs1', format: 'der' });
  return createHash('sha1').update(key).digest();
}

/** RFC 5280 4.1.2.2: positive, and here always of the same length. */
function positive([first = 0, ...rest]: Uint8Array): Buffer {
  return Buffer.of((first & 0x7f) | 0x40, ...rest);
}

/** GeneralName types (RFC 5280 4.2.1.6). */
const dnsName = 2;
const ipAddress = 7;
/** Class and tag of what is tagged implicitly (X.690 8.14). */
const contextTag = 0x80;

/** In DER: permittedSubtrees [0] of GeneralSubtree, each a GeneralName. */
function nameConstraints(): Uint8Array {
  const subtree = (type: number, bytes: Uint8Array) => sequence(writeDer(contextTag | type, bytes));
  const subtrees = [
    ...permittedNames.dns.map((name) => subtree(dnsName, Buffer.from(name, 'latin1'))),
    ...permittedNames.ip.map(({ network, mask }) =>
      subtree(ipAddress, Buffer.concat([network, mask])),
    ),
  ];
  return sequence(writeDer(derTags.context0, ...subtrees));
}
