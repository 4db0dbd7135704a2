import type { UnreadKey } from './key-structure.ts';

/*
 * Forms of other programs, which are only named, with the command that converts them.
 */

function named(kind: 'private-key' | 'public-key', name: string, command: string): UnreadKey {
  const reason = `it is ${name}; \`${command}\` converts it`;
  return { kind, refusal: { code: 'malformed', reason } };
}

const openSshPublic = named(
  'public-key',
  "a public key in OpenSSH's own format",
  'ssh-keygen -e -m PKCS8 -f FILE',
);

const openSshPrivate = named(
  'private-key',
  "a private key in OpenSSH's own format",
  'ssh-keygen -p -m PEM -f FILE',
);

const putty = named(
  'private-key',
  "a private key in PuTTY's own format",
  'puttygen FILE -O private-openssh -o id && ssh-keygen -p -m PEM -f id',
);

const ssh2 = named(
  'public-key',
  'a public key of SSH (RFC 4716)',
  'ssh-keygen -i -f FILE > id.pub && ssh-keygen -e -m PKCS8 -f id.pub',
);

const dotNet = "an RSA key in .NET's XML form";
const load = 'rsa.FromXmlString(xml); rsa.Export';
const privateXml = named('private-key', dotNet, `${load}Pkcs8PrivateKeyPem()`);
const publicXml = named('public-key', dotNet, `${load}SubjectPublicKeyInfoPem()`);

const texts: readonly (readonly [RegExp, 'openssh' | 'xml', UnreadKey])[] = [
  [/^PuTTY-User-Key-File-/, 'openssh', putty],
  [/---- BEGIN SSH2 PUBLIC KEY ----/, 'openssh', ssh2],
  // RFC 4253 6.6, with options before it too
  [
    /(?:^|\s)(?:ssh-|ecdsa-sha2-|sk-)[\w@.-]{1,50}\s+AAAA[A-Za-z0-9+/]{12}/,
    'openssh',
    openSshPublic,
  ],
  [/<RSAKeyValue>(?:(?!<RSAKeyValue>)[\s\S])*<D>/, 'xml', privateXml],
  [/<RSAKeyValue>/, 'xml', publicXml],
];

/** What a text of another program's form is; undefined for any other text. */
export function foreignText(text: string) {
  const [, encoding, read] = texts.find(([pattern]) => pattern.test(text)) ?? [];
  return encoding && read && { encoding, read };
}

/** The same of bytes: key stores, and what OpenSSH writes in Base64. */
export function foreignBytes(bytes: Uint8Array): UnreadKey | undefined {
  const head = Buffer.from(bytes.subarray(0, 64));
  const start = head.toString('latin1');
  if (start.startsWith('openssh-key-v1\0')) return openSshPrivate;
  // RFC 4253 6.6: a string, the length before it, with the type of the key
  if (/^\0\0\0.(?:ssh-|ecdsa-sha2-|sk-)/s.test(start)) return openSshPublic;
  const hex = head.toString('hex');
  // RFC 7292 4: version 3 and a SEQUENCE, also with BER's indefinite length
  if (/^30(?:[0-7].|80|81..|82.{4}|83.{6}|84.{8})02010330/.test(hex)) return pkcs12;
  const [, type] = javaStores.find(([magic]) => magic.test(hex)) ?? [];
  return type && javaStore(type);
}

const pkcs12Line = (file: string) => `openssl pkcs12 -in ${file} -nodes -out key.pem`;

const pkcs12: UnreadKey = {
  kind: 'key-store',
  refusal: {
    code: 'key-store',
    reason: 'it is a PKCS #12 key store',
    fix: (file) =>
      `Take the key out of it: \`${pkcs12Line(file)}\`, with -legacy where it is an old one; or only the certificate, with -nokeys -clcerts instead of -nodes.`,
  },
};

/** By magic number and version; Bouncy Castle's by version and the length of the salt. */
const javaStores = [
  [/^feedfeed0000000[12]/, 'JKS'],
  [/^cececece0000000[12]/, 'JCEKS'],
  [/^0000000[12]00000014/, 'BKS'],
] as const;

function javaStore(type: 'JKS' | 'JCEKS' | 'BKS'): UnreadKey {
  const provider =
    ' -providerclass org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar';
  const target = `-destkeystore keys.p12 -deststoretype PKCS12${type === 'BKS' ? provider : ''}`;
  return {
    kind: 'key-store',
    refusal: {
      code: 'key-store',
      reason: `it is a ${type} key store, which only Java opens`,
      fix: (file) =>
        `Convert it: \`keytool -importkeystore -srckeystore ${file} -srcstoretype ${type} ${target} && ${pkcs12Line('keys.p12')}\`.`,
    },
  };
}
