import { createHmac } from 'node:crypto';
import { derTags, writeDer, writeDerInteger, writeObjectIdentifier } from './der.ts';
import { bagOids } from './pkcs12-bags.ts';
import { bmpPassword, bmpText, pkcs12Kdf } from './pkcs12-kdf.ts';

/** A private key with its chain, as a PKCS #12 file gets it. */
export interface NewKeyStore {
  /** EncryptedPrivateKeyInfo (RFC 5958 3) in DER. */
  readonly encryptedKey: Uint8Array;
  /** The key's own first, in DER; they are public, and not encrypted. */
  readonly certificates: readonly Uint8Array[];
  readonly alias: string | undefined;
  /** What ties the key to its certificate: any bytes. */
  readonly localKeyId: Uint8Array;
  readonly password: string;
  /** 16 random bytes. */
  readonly salt: Uint8Array;
}

const data = '1.2.840.113549.1.7.1';
const sha256 = '2.16.840.1.101.3.4.2.1';

/** As many as OpenSSL and Node use. */
const iterations = 2048;

/** PFX (RFC 7292 4) with a MAC of HMAC-SHA-256 over all of it. */
export function writePkcs12({
  encryptedKey,
  certificates,
  alias,
  localKeyId,
  password,
  salt,
}: NewKeyStore): Uint8Array {
  const attributes = writeAttributes(alias, localKeyId);
  const keys = [bag('2', encryptedKey, attributes)];
  const chain = certificates.map((certificate, index) =>
    bag('3', certificateBag(certificate), index === 0 ? attributes : undefined),
  );
  const parts = [chain, keys].filter(({ length }) => length > 0);
  const contents = sequence(...parts.map((bags) => contentInfo(sequence(...bags))));
  const input = { digest: 'sha256', password: bmpPassword(password), salt, iterations };
  const key = pkcs12Kdf({ ...input, purpose: 'mac', size: 32 });
  const mac = createHmac('sha256', key).update(contents).digest();
  const algorithm = sequence(writeObjectIdentifier(sha256), writeDer(derTags.null));
  const macData = sequence(
    sequence(algorithm, octets(mac)),
    octets(salt),
    writeDerInteger(Uint8Array.of(iterations >> 8, iterations & 0xff)),
  );
  return sequence(writeDerInteger(Uint8Array.of(3)), contentInfo(contents), macData);
}

function contentInfo(contents: Uint8Array): Uint8Array {
  return sequence(writeObjectIdentifier(data), explicit(octets(contents)));
}

/** SafeBag (RFC 7292 4.2). */
function bag(type: string, value: Uint8Array, attributes?: Uint8Array): Uint8Array {
  const identifier = writeObjectIdentifier(bagOids.types + type);
  return sequence(identifier, explicit(value), ...(attributes === undefined ? [] : [attributes]));
}

function certificateBag(certificate: Uint8Array): Uint8Array {
  return sequence(writeObjectIdentifier(bagOids.x509Certificate), explicit(octets(certificate)));
}

function writeAttributes(alias: string | undefined, localKeyId: Uint8Array): Uint8Array {
  const attribute = (type: string, value: Uint8Array) =>
    sequence(writeObjectIdentifier(type), writeDer(derTags.set, value));
  const id = attribute(bagOids.localKeyId, octets(localKeyId));
  if (alias === undefined) return writeDer(derTags.set, id);
  const name = attribute(bagOids.friendlyName, writeDer(derTags.bmpString, bmpText(alias)));
  // X.690 11.6: the elements of a SET OF in ascending order
  return writeDer(derTags.set, ...[name, id].sort(Buffer.compare));
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return writeDer(derTags.sequence, ...parts);
}

function octets(contents: Uint8Array): Uint8Array {
  return writeDer(derTags.octetString, contents);
}

function explicit(value: Uint8Array): Uint8Array {
  return writeDer(derTags.context0, value);
}
