import { type KeyFormat, type KeyStructure, keyStructure } from './key-structure.ts';

/*
 * Forms of other programs, which are only named, with the command that converts them.
 */

function named(
  kind: 'private-key' | 'public-key',
  format: KeyFormat,
  name: string,
  command: string,
): KeyStructure {
  const reason = `it is ${name}; \`${command}\` converts it`;
  return keyStructure(kind, format, { refusal: { code: 'malformed', reason } });
}

const openSshPublic = named(
  'public-key',
  'OpenSSH',
  "a public key in OpenSSH's own format",
  'ssh-keygen -e -m PKCS8 -f FILE',
);

const openSshPrivate = named(
  'private-key',
  'OpenSSH',
  "a private key in OpenSSH's own format",
  'ssh-keygen -p -m PEM -f FILE',
);

const dotNet = "an RSA key in .NET's XML form";

const texts: readonly (readonly [pattern: RegExp, KeyStructure])[] = [
  [
    /^PuTTY-User-Key-File-/,
    named(
      'private-key',
      'PuTTY',
      "a private key in PuTTY's own format",
      'puttygen FILE -O private-openssh -o id && ssh-keygen -p -m PEM -f id',
    ),
  ],
  [
    /---- BEGIN SSH2 PUBLIC KEY ----/,
    named(
      'public-key',
      'OpenSSH',
      'a public key of SSH (RFC 4716)',
      'ssh-keygen -i -f FILE > id.pub && ssh-keygen -e -m PKCS8 -f id.pub',
    ),
  ],
  // RFC 4253 6.6, with options before it too
  [
    /(?:^|\s)(?:ssh-[a-z0-9]{3,10}|ecdsa-sha2-\w{1,20}|sk-[\w@.-]{1,50})\s+AAAA[A-Za-z0-9+/]{12}/,
    openSshPublic,
  ],
  [
    /<RSAKeyValue>(?:(?!<RSAKeyValue>)[\s\S])*<D>/,
    named('private-key', 'XML', dotNet, 'rsa.FromXmlString(xml); rsa.ExportPkcs8PrivateKeyPem()'),
  ],
  [
    /<RSAKeyValue>/,
    named(
      'public-key',
      'XML',
      dotNet,
      'rsa.FromXmlString(xml); rsa.ExportSubjectPublicKeyInfoPem()',
    ),
  ],
];

/** What a text of another program's form is; undefined for any other text. */
export function foreignText(text: string): KeyStructure | undefined {
  return texts.find(([pattern]) => pattern.test(text))?.[1];
}

/** The same of bytes: key stores, and what OpenSSH writes in Base64. */
export function foreignBytes(bytes: Uint8Array): KeyStructure | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = view.subarray(0, 64).toString('latin1');
  if (start.startsWith('openssh-key-v1\0')) return openSshPrivate;
  // RFC 4253 6.6: a string, the length before it, with the type of the key
  if (/^\0\0\0.(?:ssh-|ecdsa-sha2-|sk-)/s.test(start)) return openSshPublic;
  return isPkcs12(view) ? pkcs12 : javaKeyStore(view);
}

const pkcs12Line = (file: string) => `openssl pkcs12 -in ${file} -nodes -out key.pem`;

const pkcs12 = keyStructure('key-store', 'PKCS #12', {
  refusal: {
    code: 'key-store',
    reason: 'it is a PKCS #12 key store',
    fix: (file) =>
      `Take the key out of it: \`${pkcs12Line(file)}\`, with -legacy where it is an old one; or only the certificate, with -nokeys -clcerts instead of -nodes.`,
  },
});

/** PKCS #12 (RFC 7292 4): version 3 and a SEQUENCE, also with BER's indefinite length. */
function isPkcs12(view: Buffer): boolean {
  const first = view[1] ?? 0;
  const start = first <= 0x80 ? 2 : 2 + (first & 0x7f);
  return view[0] === 0x30 && view.subarray(start, start + 4).toString('hex') === '02010330';
}

/** JKS and JCEKS by their magic numbers, BKS and UBER of Bouncy Castle by their version and the length of their salt. */
function javaKeyStore(view: Buffer): KeyStructure | undefined {
  if (view.length < 12) return undefined;
  const [magic, second] = [view.readUInt32BE(0), view.readUInt32BE(4)];
  if (magic === 0xfeedfeed && second <= 2) return java('JKS');
  if (magic === 0xcececece && second <= 2) return java('JCEKS');
  if (second !== 20) return undefined; // the salt of Bouncy Castle's has 20 bytes
  return magic === 2 ? java('BKS') : magic === 1 ? java('BKS or UBER') : undefined;
}

function java(format: 'JKS' | 'JCEKS' | 'BKS' | 'BKS or UBER'): KeyStructure {
  const type = format.replace(' or UBER', '');
  const provider =
    ' -providerclass org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar';
  const target = `-destkeystore keys.p12 -deststoretype PKCS12${type === 'BKS' ? provider : ''}`;
  return keyStructure('key-store', format, {
    refusal: {
      code: 'key-store',
      reason: `it is a ${format} key store, which only Java opens`,
      fix: (file) =>
        `Convert it: \`keytool -importkeystore -srckeystore ${file} -srcstoretype ${type} ${target} && ${pkcs12Line('keys.p12')}\`.`,
    },
  });
}
