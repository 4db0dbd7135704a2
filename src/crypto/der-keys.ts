import { counted } from '../text.ts';
import { certificateFacts, distinguishedName } from './certificate-facts.ts';
import {
  type DerElement,
  type DerFault,
  derTags,
  isShortestInteger,
  readDerChildren,
  readDerElement,
} from './der.ts';
import {
  ecAlgorithm,
  encryptedKey,
  type KeyKind,
  type KeyRefusal,
  type KeyStructure,
  keyStructure,
  readAlgorithmIdentifier,
} from './key-structure.ts';
import { readRsaPrivateKey, readRsaPublicKey, refusedByOpenSsl } from './rsa-structures.ts';

/** DER that can't be read as a key, and why. */
export interface UnreadDer {
  readonly kind?: KeyKind;
  readonly notes?: readonly string[];
  readonly refusal: KeyRefusal;
}

/**
 * The key, certificate or request in the DER, recognised by its structure alone. Bytes
 * after it and BER's longer lengths are read as OpenSSL reads them, and noted.
 */
export function readDerKey(bytes: Uint8Array): KeyStructure | UnreadDer {
  const reading = readDerElement(bytes);
  if (!reading.ok) return { kind: guessKind(bytes), refusal: faultRefusal(reading.fault) };
  const { element } = reading;
  const children = element.tag === derTags.sequence ? readDerChildren(element) : undefined;
  if (children === undefined) return { kind: guessKind(bytes), refusal: brokenInside };
  const found = matchStructure(element, children);
  if (found === undefined) return { refusal: otherStructure(children) };
  const extra = bytes.length - element.encoded.length;
  return withNotes(found, element.shortestLength, extra);
}

/** Whether the bytes begin as every key in DER does: a SEQUENCE, then INTEGER or SEQUENCE. */
export function looksLikeDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== derTags.sequence) return false;
  const first = bytes[1] ?? 0;
  const inner = bytes[first < 0x80 ? 2 : 2 + (first & 0x7f)];
  return (
    inner === derTags.integer ||
    inner === derTags.sequence ||
    (inner === derTags.objectIdentifier && first >= 0x80)
  );
}

function matchStructure(
  root: DerElement,
  children: readonly DerElement[],
): KeyStructure | undefined {
  switch (children.map(({ tag }) => tagLetters[tag] ?? '?').join('')) {
    case 'SB':
      return readSpki(root, children);
    case 'II':
      return readRsaPublicKey(root);
    case 'IIIIII':
      return keyStructure('private-key', 'traditional DSA', dsa);
    case 'IIIIIIIII':
    case 'IIIIIIIIIS':
      return readRsaPrivateKey(root);
    case 'SO':
      return keyStructure('private-key', 'PKCS #8', {
        refusal: encryptedKey,
        locked: root.encoded,
      });
    case 'SSB':
      return readCertificate(root, children[0]);
    default:
      return readOtherPrivateKey(children);
  }
}

const dsa = { algorithm: 'dsa', algorithmName: 'DSA' } as const;

const tagLetters: Readonly<Record<number, string>> = {
  [derTags.sequence]: 'S',
  [derTags.bitString]: 'B',
  [derTags.integer]: 'I',
  [derTags.octetString]: 'O',
  [derTags.objectIdentifier]: 'N',
};

/** SubjectPublicKeyInfo (RFC 5280 4.1.2.7). */
function readSpki(root: DerElement, [identifier, bits]: readonly DerElement[]): KeyStructure {
  const named = readAlgorithmIdentifier(identifier);
  const base = keyStructure('public-key', 'SubjectPublicKeyInfo', {
    ...named,
    spki: root.encoded,
  });
  if (named === undefined) return { ...base, refusal: brokenInside };
  if (named.algorithm !== 'rsa' && named.algorithm !== 'rsa-pss') return base;
  const inner = bits?.contents[0] === 0 ? readDerElement(bits.contents, 1) : undefined;
  if (!inner?.ok) return { ...base, refusal: brokenInside };
  const { rsa, refusal, notes } = readRsaPublicKey(inner.element);
  const parameters = identifier && readDerChildren(identifier)?.[1];
  const lacksNull = named.algorithm === 'rsa' && parameters?.tag !== derTags.null;
  const lacking = lacksNull
    ? ['its AlgorithmIdentifier lacks the NULL that RFC 3279 2.3.1 wants']
    : [];
  return { ...base, rsa, refusal, notes: [...lacking, ...notes] };
}

/** PrivateKeyInfo (RFC 5958 2) and ECPrivateKey (RFC 5915 3). */
function readOtherPrivateKey(children: readonly DerElement[]): KeyStructure | undefined {
  const [version, second, third] = children;
  if (version?.tag !== derTags.integer) return undefined;
  if (second?.tag === derTags.octetString) {
    const parameters = third?.tag === derTags.context0 ? readDerChildren(third)?.[0] : undefined;
    return keyStructure('private-key', 'SEC 1', ecAlgorithm(parameters));
  }
  const named = readAlgorithmIdentifier(second);
  if (named === undefined || third?.tag !== derTags.octetString) return undefined;
  if (named.algorithm !== 'rsa') return keyStructure('private-key', 'PKCS #8', named);
  const inner = readDerElement(third.contents);
  if (!inner.ok) return keyStructure('private-key', 'PKCS #8', { ...named, refusal: brokenInside });
  const key = readRsaPrivateKey(inner.element);
  const refusal = key.refusal ?? (isShortestInteger(version) ? undefined : refusedByOpenSsl);
  return { ...key, format: 'PKCS #8', refusal };
}

/** TBSCertificate (RFC 5280 4.1) or CertificationRequestInfo (RFC 2986 4.1): the key in it. */
function readCertificate(
  { encoded }: DerElement,
  signed: DerElement | undefined,
): KeyStructure | undefined {
  const fields = (signed && readDerChildren(signed)) ?? [];
  const isRequest = fields.length === 4 && fields[0]?.tag === derTags.integer;
  const withoutVersion = fields[0]?.tag === derTags.context0 ? fields.slice(1) : fields;
  // serial number, signature, issuer, validity, subject, then the key
  const info = isRequest ? fields[2] : withoutVersion[5];
  const children = info?.tag === derTags.sequence ? readDerChildren(info) : undefined;
  if (info === undefined || children === undefined) return undefined;
  const key = readSpki(info, children);
  if (isRequest) {
    const format = 'PKCS #10 certificate request';
    const facts = { subject: distinguishedName(fields[1]) };
    return { ...key, kind: 'certificate-request', format, facts, encoded };
  }
  const facts = certificateFacts(withoutVersion);
  return { ...key, kind: 'certificate', format: 'X.509 certificate', facts, encoded };
}

function withNotes(found: KeyStructure, shortestLength: boolean, extra: number): KeyStructure {
  const refusal = found.refusal ?? (extra === 0 ? undefined : trailingBytes(extra));
  const notes = shortestLength ? found.notes : [...found.notes, longLength];
  return { ...found, notes, refusal };
}

const longLength =
  "its length is written in BER, not in DER: strict readers such as Python's cryptography refuse it";

/** A private key begins with its version number; reported even for a damaged one, so that it is never shown. */
function guessKind(bytes: Uint8Array): KeyKind | undefined {
  const start = (bytes[1] ?? 0) < 0x80 ? 2 : 2 + ((bytes[1] ?? 0) & 0x7f);
  const [tag, length, version] = bytes.subarray(start, start + 3);
  const isVersion = tag === derTags.integer && length === 1 && (version ?? 9) <= 1;
  return isVersion ? 'private-key' : undefined;
}

const brokenInside: KeyRefusal = {
  code: 'malformed',
  reason: 'its DER is damaged: an element inside is broken or not where it belongs',
};

function otherStructure([first]: readonly DerElement[]): KeyRefusal {
  if (first?.tag === derTags.objectIdentifier) return pkcs7;
  return { code: 'not-a-key', reason: 'it is DER, but no key, certificate or request' };
}

const pkcs7: KeyRefusal = {
  code: 'not-a-key',
  reason: 'it is a PKCS #7 container, not a key',
  fix: (file) =>
    `Take the certificates out of it: \`openssl pkcs7 -in ${file} -print_certs -out chain.pem\`, with -inform DER if it is not PEM.`,
};

function faultRefusal(fault: DerFault): KeyRefusal {
  if (fault.kind !== 'truncated') {
    const reason = 'its DER is damaged: its first tag or length is invalid';
    return { code: 'malformed', reason };
  }
  const { announced, present } = fault;
  const reason = `it is truncated: its DER announces ${counted(announced, 'byte')}, ${areBytes(present)} there, ${announced - present} missing`;
  return { code: 'truncated', reason };
}

function trailingBytes(extra: number): KeyRefusal {
  const reason = `${areBytes(extra)} left over after its end: lenient readers such as OpenSSL overlook that, strict ones such as Python's cryptography refuse it`;
  return { code: 'trailing-bytes', reason };
}

function areBytes(count: number): string {
  return `${counted(count, 'byte')} ${count === 1 ? 'is' : 'are'}`;
}
