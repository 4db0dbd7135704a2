import type { CallOf, Wanted } from './wanted.ts';
import { statements } from './wanted.ts';

/** In what Java and Kotlin differ. */
interface Dialect {
  readonly create: string;
  readonly size: string;
  readonly declare: (type: string, name: string) => string;
  readonly bytesOf: (text: string) => string;
  readonly zeros: (count: number) => string;
}

const java: Dialect = {
  create: 'new ',
  size: 'raw.length',
  declare: (type, name) => `${type} ${name}`,
  bytesOf: (text) => `${text}.getBytes(UTF_8)`,
  zeros: (count) => `new byte[${count}]`,
};

const kotlin: Dialect = {
  create: '',
  size: 'raw.size',
  declare: (_, name) => `val ${name}`,
  bytesOf: (text) => `${text}.toByteArray()`,
  zeros: (count) => `ByteArray(${count})`,
};

const families = { aes: 'AES', aria: 'ARIA', des: 'DESede' } as const;

/** X9.23 is in Bouncy Castle alone, and NUL bytes are left on by the JDK. */
const paddings = {
  pkcs7: 'PKCS5Padding',
  iso10126: 'ISO10126Padding',
  none: 'NoPadding',
  zero: 'NoPadding',
  ansix923: undefined,
} as const;

/** javax.crypto; ARIA comes with Bouncy Castle. */
function jvmCall(wanted: Wanted, dialect: Dialect): string | undefined {
  const { cipher, family, mode } = wanted;
  const padding = paddings[cipher.padding ?? 'none'];
  const setUp = cipher.key === 'sha1prng' ? generatedKey(wanted, dialect) : '';
  const key = cipher.key === 'sha1prng' ? 'g.generateKey()' : keySpec(wanted, dialect);
  if (padding === undefined || key === undefined || wanted.isSalted) return undefined;
  const provider = family === 'aria' ? ', "BC"' : '';
  const transformation = `"${families[family]}/${mode.toUpperCase()}/${padding}"${provider}`;
  const parameters = [key, ivSpec(wanted, dialect)].filter((part) => part !== '').join(', ');
  return statements(
    wanted.decodes ? decoding(cipher.encoding, dialect) : '',
    setUp,
    `${dialect.declare('Cipher', 'c')} = Cipher.getInstance(${transformation})`,
    `c.init(Cipher.DECRYPT_MODE, ${parameters})`,
    finish(wanted, dialect) + (cipher.padding === 'zero' ? ' // then cut the NUL bytes off' : ''),
  );
}

function decoding(encoding: Wanted['cipher']['encoding'], { declare }: Dialect): string {
  const calls = {
    base64: 'Base64.getDecoder().decode(payload)',
    base64url: 'Base64.getUrlDecoder().decode(payload)',
    hex: 'HexFormat.of().parseHex(payload)',
  };
  return `${declare('byte[]', 'raw')} = ${calls[encoding]}`;
}

function generatedKey({ family, keyBytes }: Wanted, { bytesOf, declare }: Dialect) {
  return statements(
    `${declare('SecureRandom', 'r')} = SecureRandom.getInstance("SHA1PRNG")`,
    `r.setSeed(${bytesOf('key')})`,
    `${declare('KeyGenerator', 'g')} = KeyGenerator.getInstance("${families[family]}")`,
    `g.init(${family === 'des' ? 168 : 8 * keyBytes}, r)`,
  );
}

function keySpec({ cipher, family, isCut, keyBytes }: Wanted, dialect: Dialect) {
  const { create, bytesOf } = dialect;
  const digest = (name: string) => `MessageDigest.getInstance("${name}").digest(${bytesOf('key')})`;
  const readings: Readonly<Record<string, string>> = {
    utf8: bytesOf('key'),
    hex: 'HexFormat.of().parseHex(key)',
    base64: 'Base64.getDecoder().decode(key)',
    sha256: digest('SHA-256'),
    md5: digest('MD5'),
    'md5-hex': bytesOf(`HexFormat.of().formatHex(${digest('MD5')})`),
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined) return undefined;
  const cut = isCut ? `Arrays.copyOf(${bytes}, ${keyBytes})` : bytes;
  return `${create}SecretKeySpec(${cut}, "${families[family]}")`;
}

function ivSpec(wanted: Wanted, { create, bytesOf, zeros }: Dialect): string {
  const { cipher, mode, ivBytes, fixedIv } = wanted;
  if (cipher.iv === undefined) return '';
  const rules: Readonly<Record<string, string>> = {
    prefix: `raw, 0, ${ivBytes}`,
    zero: zeros(ivBytes),
    'key-head': `${bytesOf('key')}, 0, ${ivBytes}`,
    'key-tail': `${bytesOf('key')}, ${32 - ivBytes}, ${ivBytes}`,
  };
  const iv = rules[cipher.iv] ?? `HexFormat.of().parseHex("${fixedIv}")`;
  return mode === 'gcm'
    ? `${create}GCMParameterSpec(128, ${iv})`
    : `${create}IvParameterSpec(${iv})`;
}

/** The tag is the end of the ciphertext here. */
function finish({ start, tagFollowsIv, tagBytes }: Wanted, { size }: Dialect): string {
  const behind = start + tagBytes;
  if (tagFollowsIv) {
    return `c.update(raw, ${behind}, ${size} - ${behind}); c.doFinal(raw, ${start}, ${tagBytes})`;
  }
  return start === 0 ? 'c.doFinal(raw)' : `c.doFinal(raw, ${start}, ${size} - ${start})`;
}

export const javaCall: CallOf = (wanted) => jvmCall(wanted, java);
export const kotlinCall: CallOf = (wanted) => jvmCall(wanted, kotlin);
