import type { Diagnosis, DiagnosisCode } from '../errors.ts';

/** The stacks whose right call the catalogue knows, in the order in which they are shown. */
export const languages = [
  'java',
  'kotlin',
  'node',
  'python',
  'php',
  'go',
  'csharp',
  'ruby',
] as const;

export type Language = (typeof languages)[number];

/** The call that does it right, in each stack where there is one to name. */
export type Calls = Readonly<Partial<Record<Language, string>>>;

/** What authcli knows of one diagnosis code; `explain`, hints, reports and the docs print it. */
export interface CatalogueEntry {
  /** The cause in one line, without a full stop: "The key was wrapped with OAEP (SHA-1)". */
  readonly title: string;
  /** What it means for the integration, in one or two sentences. */
  readonly meaning: string;
  /** What authcli looks at, and what it sees there. */
  readonly recognised: string;
  /** What to change, as an instruction. */
  readonly mend: string;
  /** The right call per stack, where the mending is a call. */
  readonly calls?: Calls;
  /** A wrong input or line of code, and what becomes of it. */
  readonly example: string;
  /** The section of the interface that it breaks, such as "2.2"; absent for the connection. */
  readonly section?: string;
}

/** One part of the catalogue, complete for its group of codes. */
export type CataloguePart<Code extends DiagnosisCode> = Readonly<Record<Code, CatalogueEntry>>;

/** RSAES-PKCS1-v1_5 encryption of the per-user key with the `public_key` of the request (2.2). */
export const wrapCalls: Calls = {
  java: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
  kotlin: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
  node: 'crypto.publicEncrypt({ key, padding: crypto.constants.RSA_PKCS1_PADDING }, Buffer.from(userKey))',
  python: 'public_key.encrypt(user_key.encode(), padding.PKCS1v15())',
  php: 'openssl_public_encrypt($userKey, $wrapped, $publicKey, OPENSSL_PKCS1_PADDING)',
  go: 'rsa.EncryptPKCS1v15(rand.Reader, publicKey, []byte(userKey))',
  csharp: 'rsa.Encrypt(Encoding.UTF8.GetBytes(userKey), RSAEncryptionPadding.Pkcs1)',
  ruby: 'public_key.public_encrypt(user_key, OpenSSL::PKey::RSA::PKCS1_PADDING)',
};

/** A diagnosis of what was just observed: its message says what was seen, the hint what to change. */
export function diagnosis(code: DiagnosisCode, message: string, hint: string): Diagnosis {
  return { code, message, hint };
}
