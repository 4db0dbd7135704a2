import {
  algorithmOf,
  type Cipher,
  isBlockMode,
  isSalted,
  ivBytesOf,
  type KeyReading,
  type PayloadEncoding,
} from '../crypto/cipher.ts';
import { headerBytes } from '../crypto/payload-ciphers.ts';
import { perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Calls, Stack } from '../errors.ts';

/**
 * The decryption of a payload under `cipher`, by stack: `key` is the per-user key's text, `raw` the
 * payload's bytes. A stack whose usual libraries can't decrypt it is left out.
 *
 * @param options.decodes whether the calls begin with decoding the text `payload`; by default where
 *   it is not Base64
 */
export function decryptionCalls(
  cipher: Cipher,
  { decodes = cipher.encoding !== 'base64' }: { readonly decodes?: boolean } = {},
): Calls {
  const wanted = wantedOf(cipher);
  const calls = Object.entries(dialects).flatMap(([stack, dialect]) => {
    const { part, cut = (bytes, count) => part(bytes, 0, count), keys } = dialect;
    const bytes = keys[cipher.key];
    if (bytes === undefined) return [];
    const call = dialect.call(wanted, {
      decoding: decodes ? decodingOf(dialect, cipher.encoding) : '',
      key: wanted.isCut ? cut(bytes, wanted.keyBytes) : bytes,
      iv: cipher.iv === undefined ? '' : ivOf(dialect, cipher.iv, wanted.ivBytes),
    });
    return call === undefined ? [] : [[stack, call] as const];
  });
  return Object.fromEntries(calls);
}

/** The statement that makes the bytes `raw` of the text `payload`. */
function decodingOf({ decode, keys, declare }: Dialect, encoding: PayloadEncoding) {
  if (decode?.[encoding] !== undefined || encoding === 'base64url') return decode?.[encoding];
  const reading = keys[encoding]?.replace(/\bkey\b/, 'payload');
  return reading && declare + reading;
}

function ivOf(dialect: Dialect, iv: NonNullable<Cipher['iv']>, count: number): string {
  const { part, raw, keys, zeros, fixedIv } = dialect;
  const key = keys.utf8 ?? '';
  if (iv === 'prefix') return part(raw, 0, count);
  if (iv === 'zero') return zeros(count);
  if (iv === 'key-head') return part(key, 0, count);
  if (iv === 'key-tail') return part(key, perUserKeyLength - count, count);
  const digits = `"${iv.slice('hex:'.length)}"`;
  return fixedIv ?? keys.hex?.replace(/\$?\bkey\b/, digits) ?? '';
}

interface Dialect {
  /** The key's bytes; absent where the usual libraries have no such reading. */
  readonly keys: Readonly<Partial<Record<KeyReading, string>>>;
  /** The payload's bytes, and what declares them, from which they are decoded as the key would be. */
  readonly raw: string;
  readonly declare: string;
  /** What decodes the payload otherwise. */
  readonly decode?: Readonly<Partial<Record<PayloadEncoding, string>>>;
  /** `count` of some bytes, as an IV is given. */
  readonly part: (bytes: string, from: number, count: number) => string;
  /** The first bytes of a key; by default as of an IV. */
  readonly cut?: (bytes: string, count: number) => string;
  readonly zeros: (count: number) => string;
  /** The variable of an IV that has a statement of its own. */
  readonly fixedIv?: string;
  /** Undefined where the usual libraries lack something. */
  readonly call: (wanted: Wanted, parts: Parts) => string | undefined;
}

interface Parts {
  /** Of the text `payload`; empty where the calls begin with its bytes. */
  readonly decoding: string | undefined;
  readonly key: string;
  readonly iv: string;
}

/** What a key of 32 characters gives in each reading, in bytes. */
const bytesOf32: Readonly<Partial<Record<KeyReading, number>>> = {
  utf8: perUserKeyLength,
  hex: 16,
  base64: 24,
  sha256: 32,
  'md5-hex': 32,
};

type Wanted = ReturnType<typeof wantedOf>;

/** A cipher, with what the calls of every stack need of it. */
function wantedOf(cipher: Cipher) {
  const { name, mode, keyBytes, blockBytes, tagBytes } = algorithmOf(cipher);
  const { padding = 'none' } = cipher;
  const start = headerBytes(cipher);
  const family = name === 'des-ede3-cbc' ? 'des' : name.startsWith('aria') ? 'aria' : 'aes';
  return {
    cipher,
    mode,
    keyBytes,
    blockBytes,
    padding,
    family,
    ivBytes: ivBytesOf(cipher),
    /** Where the ciphertext begins among the payload's bytes; the tag after the IV left out. */
    start,
    /** Where it begins behind a tag. */
    behind: start + tagBytes,
    tagFollowsIv: cipher.tag === 'after-iv',
    /** A key of 32 characters gives more bytes than the algorithm takes. */
    isCut: (bytesOf32[cipher.key] ?? 0) > keyBytes,
    /** OpenSSL checks PKCS #7 in block modes, and removes no other padding. */
    isChecked: isBlockMode(mode) && padding === 'pkcs7',
  } as const;
}

/** One after the other on a line; undefined if one is missing. */
function statements(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== '').join('; ');
}

/** How a decrypted text's own padding comes off under OpenSSL, as an expression around it. */
function unpadded(
  { padding, isChecked }: Wanted,
  ways: { readonly text: string; readonly nuls: string; readonly counted: string },
): string {
  if (padding === 'none' || isChecked) return ways.text;
  return padding === 'zero' ? ways.nuls : ways.counted;
}

/** In what Java and Kotlin differ. */
interface JvmSyntax {
  readonly create: string;
  readonly size: string;
  readonly declare: (type: string, name: string) => string;
  readonly bytesOf: (text: string) => string;
  readonly zeros: (count: number) => string;
}

const jvmFamilies = { aes: 'AES', aria: 'ARIA', des: 'DESede' } as const;

/** X9.23 is in Bouncy Castle alone, and NUL bytes are left on by the JDK. */
const jvmPaddings = {
  pkcs7: 'PKCS5Padding',
  iso10126: 'ISO10126Padding',
  none: 'NoPadding',
  zero: 'NoPadding',
  ansix923: undefined,
} as const;

/** javax.crypto; ARIA comes with Bouncy Castle. */
function jvm({ create, size, declare, bytesOf, zeros }: JvmSyntax): Dialect {
  const digest = (name: string) => `MessageDigest.getInstance("${name}").digest(${bytesOf('key')})`;
  const raw = declare('byte[]', 'raw');
  return {
    raw: 'raw',
    declare: `${raw} = `,
    decode: { base64url: `${raw} = Base64.getUrlDecoder().decode(payload)` },
    keys: {
      utf8: bytesOf('key'),
      hex: 'HexFormat.of().parseHex(key)',
      base64: 'Base64.getDecoder().decode(key)',
      sha256: digest('SHA-256'),
      md5: digest('MD5'),
      'md5-hex': bytesOf(`HexFormat.of().formatHex(${digest('MD5')})`),
      sha1prng: 'g.generateKey()',
    },
    part: (bytes, from, count) => `${bytes}, ${from}, ${count}`,
    cut: (bytes, count) => `Arrays.copyOf(${bytes}, ${count})`,
    zeros,
    call(wanted, { decoding, key, iv }) {
      const { mode, padding, start, behind, keyBytes } = wanted;
      const family = jvmFamilies[wanted.family];
      const isGenerated = wanted.cipher.key === 'sha1prng';
      const generator = statements(
        `${declare('SecureRandom', 'r')} = SecureRandom.getInstance("SHA1PRNG")`,
        `r.setSeed(${bytesOf('key')})`,
        `${declare('KeyGenerator', 'g')} = KeyGenerator.getInstance("${family}")`,
        `g.init(${wanted.family === 'des' ? 168 : 8 * keyBytes}, r)`,
      );
      if (jvmPaddings[padding] === undefined) return undefined;
      const provider = wanted.family === 'aria' ? ', "BC"' : '';
      const transformation = `"${family}/${mode.toUpperCase()}/${jvmPaddings[padding]}"${provider}`;
      const spec = mode === 'gcm' ? 'GCMParameterSpec(128, ' : 'IvParameterSpec(';
      const keySpec = isGenerated ? key : `${create}SecretKeySpec(${key}, "${family}")`;
      // The tag is the end of the ciphertext here.
      const taggedFirst = `c.update(raw, ${behind}, ${size} - ${behind}); c.doFinal(raw, ${start}, ${behind - start})`;
      const whole = start === 0 ? 'c.doFinal(raw)' : `c.doFinal(raw, ${start}, ${size} - ${start})`;
      return statements(
        decoding,
        isGenerated ? generator : '',
        `${declare('Cipher', 'c')} = Cipher.getInstance(${transformation})`,
        `c.init(Cipher.DECRYPT_MODE, ${keySpec}${iv && `, ${create}${spec}${iv})`})`,
        (wanted.tagFollowsIv ? taggedFirst : whole) + (padding === 'zero' ? cutNuls : ''),
      );
    },
  };
}

const cutNuls = ' // then cut the NUL bytes off';

const java = jvm({
  create: 'new ',
  size: 'raw.length',
  declare: (type, name) => `${type} ${name}`,
  bytesOf: (text) => `${text}.getBytes(UTF_8)`,
  zeros: (count) => `new byte[${count}]`,
});

const kotlin = jvm({
  create: '',
  size: 'raw.size',
  declare: (_, name) => `val ${name}`,
  bytesOf: (text) => `${text}.toByteArray()`,
  zeros: (count) => `ByteArray(${count})`,
});

const node: Dialect = {
  raw: 'raw',
  declare: 'const raw = ',
  decode: { base64url: "const raw = Buffer.from(payload, 'base64url')" },
  keys: {
    utf8: 'key',
    hex: "Buffer.from(key, 'hex')",
    base64: "Buffer.from(key, 'base64')",
    sha256: "crypto.createHash('sha256').update(key).digest()",
    md5: "crypto.createHash('md5').update(key).digest()",
    'md5-hex': "Buffer.from(crypto.createHash('md5').update(key).digest('hex'))",
    'evp-md5': 'key',
  },
  part: (bytes, from, count) =>
    `${bytes === 'key' ? 'Buffer.from(key)' : bytes}.subarray(${from}, ${from + count})`,
  zeros: (count) => `Buffer.alloc(${count})`,
  call(wanted, { decoding, key, iv }) {
    const { cipher, mode, start, behind, tagFollowsIv, isChecked } = wanted;
    if (isSalted(cipher.key)) return cryptoJsCall(wanted);
    const isGcm = mode === 'gcm';
    const plain = start === 0 ? 'raw' : `raw.subarray(${start})`;
    const untagged = tagFollowsIv ? `raw.subarray(${behind})` : `raw.subarray(${start}, -16)`;
    const tag = tagFollowsIv ? `raw.subarray(${start}, ${behind})` : 'raw.subarray(-16)';
    const text = `Buffer.concat([d.update(${isGcm ? untagged : plain}), d.final()])`;
    return statements(
      decoding,
      `const d = crypto.createDecipheriv('${cipher.algorithm}', ${key}, ${iv || 'null'}${isGcm ? ', { authTagLength: 16 }' : ''})`,
      isGcm ? `d.setAuthTag(${tag})` : '',
      isBlockMode(mode) && !isChecked ? 'd.setAutoPadding(false)' : '',
      unpadded(wanted, {
        text,
        nuls: `${text}.toString().replace(/\\0+$/, '')`,
        counted: `const p = ${text}; p.subarray(0, p.length - p[p.length - 1])`,
      }),
    );
  },
};

/** CryptoJS derives with MD5, and takes the payload's text. */
function cryptoJsCall({ cipher, padding }: Wanted): string | undefined {
  const isUsual = cipher.algorithm === 'aes-256-cbc' && padding === 'pkcs7';
  return isUsual && cipher.encoding === 'base64'
    ? 'CryptoJS.AES.decrypt(payload, key).toString(CryptoJS.enc.Utf8)'
    : undefined;
}

/** The package cryptography; it has no ARIA. */
const python: Dialect = {
  raw: 'raw',
  declare: 'raw = ',
  decode: { base64url: 'raw = base64.urlsafe_b64decode(payload + "==")' },
  keys: {
    utf8: 'key.encode()',
    hex: 'bytes.fromhex(key)',
    base64: 'base64.b64decode(key)',
    sha256: 'hashlib.sha256(key.encode()).digest()',
    md5: 'hashlib.md5(key.encode()).digest()',
    'md5-hex': 'hashlib.md5(key.encode()).hexdigest().encode()',
  },
  part: (bytes, from, count) => `${bytes}[${from || ''}:${from + count}]`,
  zeros: (count) => `bytes(${count})`,
  call({ mode, padding, family, start, behind, tagFollowsIv, blockBytes }, parts) {
    const { decoding, key, iv } = parts;
    if (family === 'aria') return undefined;
    const body = start === 0 ? 'raw' : `raw[${start}:]`;
    if (mode === 'gcm') {
      const sealed = tagFollowsIv ? `raw[${behind}:] + raw[${start}:${behind}]` : body;
      return statements(decoding, `AESGCM(${key}).decrypt(${iv}, ${sealed}, None)`);
    }
    const algorithm = family === 'des' ? 'TripleDES' : 'AES';
    const unpadder = `${padding.toUpperCase()}(${8 * blockBytes}).unpadder()`;
    const isCheckedHere = padding === 'pkcs7' || padding === 'ansix923';
    const ends = { zero: '; text = p.rstrip(b"\\0")', iso10126: '; text = p[:-p[-1]]' };
    return statements(
      decoding,
      `d = Cipher(algorithms.${algorithm}(${key}), modes.${mode.toUpperCase()}(${iv})).decryptor()`,
      `p = d.update(${body}) + d.finalize()${padding in ends ? ends[padding as 'zero'] : ''}`,
      isCheckedHere ? `u = padding.${unpadder}; text = u.update(p) + u.finalize()` : '',
    );
  },
};

const php: Dialect = {
  raw: '$raw',
  declare: '$raw = ',
  decode: { base64url: "$raw = base64_decode(strtr($payload, '-_', '+/'))" },
  keys: {
    utf8: '$key',
    hex: 'hex2bin($key)',
    base64: 'base64_decode($key)',
    sha256: "hash('sha256', $key, true)",
    md5: "hash('md5', $key, true)",
    'md5-hex': 'md5($key)',
  },
  part: (bytes, from, count) => `substr(${bytes}, ${from}, ${count})`,
  zeros: (count) => `str_repeat("\\0", ${count})`,
  call(wanted, { decoding, key, iv }) {
    const { cipher, mode, start, behind, tagFollowsIv, isChecked } = wanted;
    const isGcm = mode === 'gcm';
    const plain = start === 0 ? '$raw' : `substr($raw, ${start})`;
    const untagged = tagFollowsIv ? `substr($raw, ${behind})` : `substr($raw, ${start}, -16)`;
    const tag = tagFollowsIv ? `substr($raw, ${start}, 16)` : 'substr($raw, -16)';
    const isRaw = isBlockMode(mode) && !isChecked;
    const flags = isRaw ? 'OPENSSL_RAW_DATA | OPENSSL_ZERO_PADDING' : 'OPENSSL_RAW_DATA';
    const rest = `${iv && `, ${iv}`}${isGcm ? `, ${tag}` : ''}`;
    const text = `openssl_decrypt(${isGcm ? untagged : plain}, '${cipher.algorithm}', ${key}, ${flags}${rest})`;
    const nuls = `rtrim(${text}, "\\0")`;
    const counted = `$p = ${text}; substr($p, 0, -ord(substr($p, -1)))`;
    return statements(decoding, unpadded(wanted, { text, nuls, counted }));
  },
};

const goPaddings = { pkcs7: 'PKCS #7', ansix923: 'ANSI X9.23', iso10126: 'ISO 10126' } as const;

/** The standard library; it has no ARIA. */
const go: Dialect = {
  raw: 'raw',
  declare: '',
  decode: {
    base64: 'raw, err := base64.StdEncoding.DecodeString(payload)',
    base64url: 'raw, err := base64.RawURLEncoding.DecodeString(payload)',
    hex: 'raw, err := hex.DecodeString(payload)',
  },
  keys: {
    utf8: '[]byte(key)',
    hex: 'keyBytes',
    base64: 'keyBytes',
    sha256: 'sum[:]',
    md5: 'sum[:]',
  },
  part: (bytes, from, count) => `${bytes.replace('[:]', '')}[${from || ''}:${from + count}]`,
  zeros: (count) => `make([]byte, ${count})`,
  fixedIv: 'iv',
  call({ cipher, mode, family, padding, start, behind, tagFollowsIv, ivBytes }, parts) {
    const { decoding, key, iv } = parts;
    if (family === 'aria') return undefined;
    const setUps: Readonly<Record<string, string>> = {
      hex: 'keyBytes, _ := hex.DecodeString(key)',
      base64: 'keyBytes, _ := base64.StdEncoding.DecodeString(key)',
      sha256: 'sum := sha256.Sum256([]byte(key))',
      md5: 'sum := md5.Sum([]byte(key))',
    };
    const body = start === 0 ? 'raw' : `raw[${start}:]`;
    const sealed = tagFollowsIv ? `append(raw[${behind}:], raw[${start}:${behind}]...)` : body;
    const gcm = ivBytes === 12 ? 'NewGCM(block)' : `NewGCMWithNonceSize(block, ${ivBytes})`;
    const ways = {
      ecb: 'for i := 0; i < len(raw); i += 16 { block.Decrypt(out[i:], raw[i:]) }',
      cbc: `cipher.NewCBCDecrypter(block, ${iv}).CryptBlocks(out, ${body})`,
      ctr: `cipher.NewCTR(block, ${iv}).XORKeyStream(out, ${body})`,
      cfb: `cipher.NewCFBDecrypter(block, ${iv}).XORKeyStream(out, ${body})`,
      gcm: `gcm, err := cipher.${gcm}; text, err := gcm.Open(nil, ${iv}, ${sealed}, nil)`,
    };
    const unpadding =
      padding === 'none'
        ? ''
        : padding === 'zero'
          ? '; bytes.TrimRight(out, "\\x00")'
          : ` // then check the ${goPaddings[padding]} padding and cut it off`;
    return statements(
      decoding,
      setUps[cipher.key] ?? '',
      cipher.iv?.startsWith('hex:') ? `iv, _ := hex.DecodeString("${cipher.iv.slice(4)}")` : '',
      `block, err := ${family === 'des' ? 'des.NewTripleDESCipher' : 'aes.NewCipher'}(${key})`,
      ways[mode] + unpadding,
    );
  },
};

const csharpPaddings = {
  pkcs7: 'PKCS7',
  zero: 'None',
  ansix923: 'ANSIX923',
  iso10126: 'ISO10126',
  none: 'None',
} as const;

/** System.Security.Cryptography; it has no CTR and no ARIA, and GCM only with IVs of 12 bytes. */
const csharp: Dialect = {
  raw: 'raw',
  declare: 'var raw = ',
  keys: {
    utf8: 'Encoding.UTF8.GetBytes(key)',
    hex: 'Convert.FromHexString(key)',
    base64: 'Convert.FromBase64String(key)',
    sha256: 'SHA256.HashData(Encoding.UTF8.GetBytes(key))',
    md5: 'MD5.HashData(Encoding.UTF8.GetBytes(key))',
    'md5-hex':
      'Encoding.UTF8.GetBytes(Convert.ToHexString(MD5.HashData(Encoding.UTF8.GetBytes(key))).ToLower())',
  },
  part: (bytes, from, count) => `${bytes}[${from || ''}..${from + count}]`,
  zeros: (count) => `new byte[${count}]`,
  call({ mode, padding, family, start, behind, tagFollowsIv, ivBytes }, { decoding, key, iv }) {
    if (family === 'aria' || mode === 'ctr') return undefined;
    if (mode === 'gcm') {
      const [body, tag] = tagFollowsIv
        ? [`raw[${behind}..]`, `raw[${start}..${behind}]`]
        : [`raw[${start}..^16]`, 'raw[^16..]'];
      const call = `new AesGcm(${key}, 16).Decrypt(${iv}, ${body}, ${tag}, text)`;
      return ivBytes === 12 ? statements(decoding, call) : undefined;
    }
    const name = family === 'des' ? 'des3' : 'aes';
    const isUsual = padding === 'pkcs7' && mode === 'cbc';
    const values = [
      start === 0 ? 'raw' : `raw[${start}..]`,
      iv,
      isUsual ? '' : `PaddingMode.${csharpPaddings[padding]}`,
      mode === 'cfb' ? '128' : '',
    ].filter((value) => value !== '');
    const method = { cbc: 'DecryptCbc', ecb: 'DecryptEcb', cfb: 'DecryptCfb' }[mode];
    const call = `${name}.${method}(${values.join(', ')})${padding === 'zero' ? cutNuls : ''}`;
    return statements(decoding, `${name}.Key = ${key}`, call);
  },
};

const ruby: Dialect = {
  raw: 'raw',
  declare: 'raw = ',
  decode: { base64url: 'raw = Base64.urlsafe_decode64(payload)' },
  keys: {
    utf8: 'key',
    hex: "[key].pack('H*')",
    base64: "key.unpack1('m')",
    sha256: 'Digest::SHA256.digest(key)',
    md5: 'Digest::MD5.digest(key)',
    'md5-hex': 'Digest::MD5.hexdigest(key)',
    'evp-md5': 'md5',
    'evp-sha256': 'sha256',
  },
  part: (bytes, from, count) => `${bytes}[${from}, ${count}]`,
  zeros: (count) => `"\\0" * ${count}`,
  call(wanted, { decoding, key, iv }) {
    const { cipher, mode, start, behind, tagFollowsIv, isChecked, ivBytes } = wanted;
    const isGcm = mode === 'gcm';
    const hasSalt = isSalted(cipher.key);
    if (hasSalt && isGcm) return undefined;
    const plain = hasSalt ? 'raw[16..]' : start === 0 ? 'raw' : `raw[${start}..]`;
    const untagged = tagFollowsIv ? `raw[${behind}..]` : `raw[${start}...-16]`;
    const text = `d.update(${isGcm ? untagged : plain}) + d.final`;
    const ivLength = isGcm && ivBytes !== 12 ? `d.iv_len = ${ivBytes}; ` : '';
    return statements(
      decoding,
      `d = OpenSSL::Cipher.new('${cipher.algorithm}').decrypt`,
      hasSalt ? `d.pkcs5_keyivgen(key, raw[8, 8], 1, '${key}')` : `d.key = ${key}`,
      iv && `${ivLength}d.iv = ${iv}`,
      isGcm ? `d.auth_tag = ${tagFollowsIv ? `raw[${start}, 16]` : 'raw[-16..]'}` : '',
      isGcm || isChecked ? '' : 'd.padding = 0',
      unpadded(wanted, {
        text,
        nuls: `(${text}).sub(/\\0+\\z/n, '')`,
        counted: `p = ${text}; p[0...-p[-1].ord]`,
      }),
    );
  },
};

const dialects: Readonly<Record<Stack, Dialect>> = {
  java,
  kotlin,
  node,
  python,
  php,
  go,
  csharp,
  ruby,
};
