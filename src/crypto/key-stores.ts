import { counted } from '../text.ts';
import {
  type KeyRefusal,
  type KeyStoreFormat,
  type KeyStructure,
  keyStructure,
} from './key-structure.ts';

/**
 * Java's own key stores, which only Java opens: JKS and JCEKS by their magic numbers, BKS and UBER of Bouncy Castle
 * by their version and the length of their salt. Undefined for anything else.
 */
export function readJavaKeyStore(bytes: Uint8Array): KeyStructure | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 12) return undefined;
  const format = formatOf(view.readUInt32BE(0), view.readUInt32BE(4));
  if (format === undefined) return undefined;
  const hasCount = format === 'JKS' || format === 'JCEKS';
  const size = hasCount ? ` with ${counted(view.readUInt32BE(8), 'entry', 'entries')}` : '';
  const refusal = {
    code: 'key-store',
    reason: `it is a ${format} key store${size}, which only Java opens`,
    fix: (file: string) =>
      `Convert it: \`${keytoolLine(format, file)} && ${pkcs12Line('keys.p12')}\`.`,
  } as const;
  return keyStructure('key-store', format, { refusal });
}

function formatOf(magic: number, second: number): KeyStoreFormat | undefined {
  if (magic === 0xfeedfeed && second <= 2) return 'JKS';
  if (magic === 0xcececece && second <= 2) return 'JCEKS';
  if (second !== 20) return undefined; // the salt of Bouncy Castle's has 20 bytes
  return magic === 2 ? 'BKS' : magic === 1 ? 'BKS or UBER' : undefined;
}

/** The line that makes a PKCS #12 key store of one of Java's. */
function keytoolLine(format: KeyStoreFormat, file: string): string {
  const type = format.replace(' or UBER', '');
  const provider =
    ' -providerclass org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar';
  return `keytool -importkeystore -srckeystore ${file} -srcstoretype ${type} -destkeystore keys.p12 -deststoretype PKCS12${type === 'BKS' ? provider : ''}`;
}

/** PKCS #12 (RFC 7292 4): whether bytes are version 3 and a SEQUENCE, also with BER's indefinite length. */
export function readPkcs12Shape(bytes: Uint8Array): KeyStructure | undefined {
  const first = bytes[1] ?? 0;
  const start = first <= 0x80 ? 2 : 2 + (first & 0x7f);
  const isPkcs12 =
    bytes[0] === 0x30 &&
    Buffer.from(bytes.subarray(start, start + 4)).toString('hex') === '02010330';
  if (!isPkcs12) return undefined;
  return keyStructure('key-store', 'PKCS #12', {
    refusal: isKeyStore,
  });
}

const isKeyStore: KeyRefusal = {
  code: 'key-store',
  reason: 'it is a PKCS #12 key store',
  fix: (file) =>
    `Take the key out of it: \`${pkcs12Line(file)}\`, with -legacy where it is an old one; or only the certificate, with -nokeys -clcerts instead of -nodes.`,
};

function pkcs12Line(file: string): string {
  return `openssl pkcs12 -in ${file} -nodes -out key.pem`;
}
