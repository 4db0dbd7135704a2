import { decodeUtf8, decodeUtf16, encodeHex } from '../bytes.ts';
import { type DerElement, derTags, formatObjectIdentifier, readDerChildren } from './der.ts';

/** What a certificate or a request says besides its key. */
export interface CertificateFacts {
  /** As RFC 4514 writes it, but in the order of the certificate: "C=DE, O=Shop, CN=example.org". */
  readonly subject: string;
  readonly issuer?: string;
  /** Hexadecimal digits. */
  readonly serialNumber?: string;
  /** ISO 8601, in UTC. */
  readonly notBefore?: string;
  readonly notAfter?: string;
}

/** The fields of a TBSCertificate without its version (RFC 5280 4.1): serial, signature, issuer, validity, subject. */
export function certificateFacts(fields: readonly DerElement[]): CertificateFacts {
  const [serial, , issuer, validity, subject] = fields;
  const [notBefore, notAfter] = (validity && readDerChildren(validity)) ?? [];
  return {
    subject: distinguishedName(subject),
    issuer: distinguishedName(issuer),
    serialNumber: encodeHex(serial?.contents ?? new Uint8Array()).replace(/^(00)+(?=..)/, ''),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
  };
}

/** RFC 4514 3, and the e-mail address of PKCS #9. */
const attributeNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

/** Name (RFC 5280 4.1.2.4) as text; empty for what is not one. */
export function distinguishedName(name: DerElement | undefined): string {
  const sets = (name && readDerChildren(name)) ?? [];
  return sets.map((set) => (readDerChildren(set) ?? []).map(attributeText).join('+')).join(', ');
}

function attributeText(attribute: DerElement): string {
  const [type, value] = readDerChildren(attribute) ?? [];
  if (type?.tag !== derTags.objectIdentifier || value === undefined) return '?';
  const dotted = formatObjectIdentifier(type.contents);
  const text = stringOf(value).replace(/[,+"\\<>;=]/g, '\\$&');
  return `${attributeNames[dotted] ?? dotted}=${text}`;
}

const bmpString = 0x1e;

function stringOf({ tag, contents }: DerElement): string {
  if (tag === bmpString && contents.length % 2 === 0) return decodeUtf16(contents, 'big');
  return decodeUtf8(contents) ?? Buffer.from(contents).toString('latin1');
}

/** UTCTime or GeneralizedTime (RFC 5280 4.1.2.5); undefined for what is neither. */
function readTime(time: DerElement | undefined): string | undefined {
  const text = Buffer.from(time?.contents ?? []).toString('latin1');
  const match = /^(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) return undefined;
  const [, century, year = '', month, day, hour, minute, second] = match;
  const fullYear = `${century ?? (Number(year) < 50 ? '20' : '19')}${year}`;
  return `${fullYear}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
