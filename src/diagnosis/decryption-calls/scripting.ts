import { type CallOf, statements, type Wanted } from './wanted.ts';

/** The name in OpenSSL, which Node, PHP and Ruby use. */
const opensslName = ({ cipher }: Wanted) => `'${cipher.algorithm}'`;

const behindTag = ({ start, tagBytes }: Wanted) => start + tagBytes;

/** OpenSSL checks PKCS #7 and removes no other padding. */
const hasOwnPadding = ({ cipher: { padding = 'none' }, mode }: Wanted) =>
  padding !== 'none' && (padding !== 'pkcs7' || (mode !== 'cbc' && mode !== 'ecb'));

const isPadded = ({ cipher, mode }: Wanted) =>
  (mode === 'cbc' || mode === 'ecb') && cipher.padding === 'pkcs7';

/** How a decrypted text's own padding comes off, as an expression around it. */
function unpadded(wanted: Wanted, text: string, nuls: string, count: string): string {
  if (!hasOwnPadding(wanted)) return text;
  return wanted.cipher.padding === 'zero' ? nuls : count;
}

export const nodeCall: CallOf = (wanted) => {
  const { cipher, mode, ivBytes, start, tagFollowsIv, fixedIv, decodes } = wanted;
  if (wanted.isSalted) return cryptoJsCall(wanted);
  const readings: Readonly<Record<string, string>> = {
    utf8: 'Buffer.from(key)',
    hex: "Buffer.from(key, 'hex')",
    base64: "Buffer.from(key, 'base64')",
    sha256: "crypto.createHash('sha256').update(key).digest()",
    md5: "crypto.createHash('md5').update(key).digest()",
    'md5-hex': "Buffer.from(crypto.createHash('md5').update(key).digest('hex'))",
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined) return undefined;
  const whole = cipher.key === 'utf8' ? 'key' : bytes;
  const key = wanted.isCut ? `${bytes}.subarray(0, ${wanted.keyBytes})` : whole;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `raw.subarray(0, ${ivBytes})`,
    zero: `Buffer.alloc(${ivBytes})`,
    'key-head': `key.slice(0, ${ivBytes})`,
    'key-tail': `key.slice(-${ivBytes})`,
  };
  const iv =
    cipher.iv === undefined ? 'null' : (ivs[cipher.iv] ?? `Buffer.from('${fixedIv}', 'hex')`);
  const isGcm = mode === 'gcm';
  const [from, to, tag] = tagFollowsIv
    ? [behindTag(wanted), '', `raw.subarray(${start}, ${behindTag(wanted)})`]
    : [start, isGcm ? ', -16' : '', 'raw.subarray(-16)'];
  const body = from === 0 && to === '' ? 'raw' : `raw.subarray(${from}${to})`;
  const text = `Buffer.concat([d.update(${body}), d.final()])`;
  return statements(
    decodes ? `const raw = Buffer.from(payload, '${cipher.encoding}')` : '',
    `const d = crypto.createDecipheriv(${opensslName(wanted)}, ${key}, ${iv}${isGcm ? ', { authTagLength: 16 }' : ''})`,
    isGcm ? `d.setAuthTag(${tag})` : '',
    isGcm || mode === 'ctr' || mode === 'cfb' || isPadded(wanted) ? '' : 'd.setAutoPadding(false)',
    unpadded(
      wanted,
      text,
      `${text}.toString().replace(/\\0+$/, '')`,
      `const p = ${text}; p.subarray(0, p.length - p[p.length - 1])`,
    ),
  );
};

/** CryptoJS derives with MD5, and takes the payload's text. */
function cryptoJsCall({ cipher }: Wanted): string | undefined {
  const isUsual = cipher.algorithm === 'aes-256-cbc' && cipher.key === 'evp-md5';
  return isUsual && cipher.padding === 'pkcs7' && cipher.encoding === 'base64'
    ? 'CryptoJS.AES.decrypt(payload, key).toString(CryptoJS.enc.Utf8)'
    : undefined;
}

const pythonModes = { cbc: 'CBC', ecb: 'ECB', ctr: 'CTR', cfb: 'CFB', gcm: 'GCM' } as const;
const pythonFamilies = { aes: 'AES', aria: undefined, des: 'TripleDES' } as const;

/** The package cryptography; it has no ARIA. */
export const pythonCall: CallOf = (wanted) => {
  const { cipher, mode, ivBytes, start, tagFollowsIv, fixedIv } = wanted;
  const readings: Readonly<Record<string, string>> = {
    utf8: 'key.encode()',
    hex: 'bytes.fromhex(key)',
    base64: 'base64.b64decode(key)',
    sha256: 'hashlib.sha256(key.encode()).digest()',
    md5: 'hashlib.md5(key.encode()).digest()',
    'md5-hex': 'hashlib.md5(key.encode()).hexdigest().encode()',
  };
  const bytes = readings[cipher.key];
  const family = pythonFamilies[wanted.family];
  if (bytes === undefined || family === undefined) return undefined;
  const key = wanted.isCut ? `${bytes}[:${wanted.keyBytes}]` : bytes;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `raw[:${ivBytes}]`,
    zero: `bytes(${ivBytes})`,
    'key-head': `key.encode()[:${ivBytes}]`,
    'key-tail': `key.encode()[-${ivBytes}:]`,
  };
  const iv = cipher.iv === undefined ? '' : (ivs[cipher.iv] ?? `bytes.fromhex("${fixedIv}")`);
  const decode = wanted.decodes ? pythonDecoding[cipher.encoding] : '';
  const body = start === 0 ? 'raw' : `raw[${start}:]`;
  if (mode === 'gcm') {
    const behind = behindTag(wanted);
    const sealed = tagFollowsIv ? `raw[${behind}:] + raw[${start}:${behind}]` : body;
    return statements(decode, `AESGCM(${key}).decrypt(${iv}, ${sealed}, None)`);
  }
  const bits = 8 * wanted.blockBytes;
  const isChecked = cipher.padding === 'pkcs7' || cipher.padding === 'ansix923';
  const unpadder = cipher.padding === 'pkcs7' ? 'PKCS7' : 'ANSIX923';
  const ends = {
    zero: '; text = p.rstrip(b"\\0")',
    iso10126: '; text = p[:-p[-1]]',
    none: '',
    pkcs7: '',
    ansix923: '',
  } as const;
  return statements(
    decode,
    `d = Cipher(algorithms.${family}(${key}), modes.${pythonModes[mode]}(${iv})).decryptor()`,
    `p = d.update(${body}) + d.finalize()${ends[cipher.padding ?? 'none']}`,
    isChecked
      ? `u = padding.${unpadder}(${bits}).unpadder(); text = u.update(p) + u.finalize()`
      : '',
  );
};

const pythonDecoding = {
  base64: 'raw = base64.b64decode(payload)',
  base64url: 'raw = base64.urlsafe_b64decode(payload + "==")',
  hex: 'raw = bytes.fromhex(payload)',
} as const;

export const phpCall: CallOf = (wanted) => {
  const { cipher, mode, ivBytes, start, tagFollowsIv, fixedIv, keyBytes } = wanted;
  const readings: Readonly<Record<string, string>> = {
    utf8: '$key',
    hex: 'hex2bin($key)',
    base64: 'base64_decode($key)',
    sha256: "hash('sha256', $key, true)",
    md5: "hash('md5', $key, true)",
    'md5-hex': 'md5($key)',
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined) return undefined;
  const key = wanted.isCut ? `substr(${bytes}, 0, ${keyBytes})` : bytes;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `substr($raw, 0, ${ivBytes})`,
    zero: `str_repeat("\\0", ${ivBytes})`,
    'key-head': `substr($key, 0, ${ivBytes})`,
    'key-tail': `substr($key, -${ivBytes})`,
  };
  const iv = cipher.iv === undefined ? "''" : (ivs[cipher.iv] ?? `hex2bin('${fixedIv}')`);
  const isGcm = mode === 'gcm';
  const behind = behindTag(wanted);
  const plain = start === 0 ? '$raw' : `substr($raw, ${start})`;
  const untagged = `substr($raw, ${start}, -16)`;
  const body = !isGcm ? plain : tagFollowsIv ? `substr($raw, ${behind})` : untagged;
  const tag = tagFollowsIv ? `substr($raw, ${start}, 16)` : 'substr($raw, -16)';
  const isRaw = !isGcm && mode !== 'ctr' && mode !== 'cfb' && !isPadded(wanted);
  const flags = isRaw ? 'OPENSSL_RAW_DATA | OPENSSL_ZERO_PADDING' : 'OPENSSL_RAW_DATA';
  const rest = mode === 'ecb' ? '' : `, ${iv}`;
  const call = `openssl_decrypt(${body}, ${opensslName(wanted)}, ${key}, ${flags}${rest}${isGcm ? `, ${tag}` : ''})`;
  return statements(
    wanted.decodes ? phpDecoding[cipher.encoding] : '',
    unpadded(
      wanted,
      call,
      `rtrim(${call}, "\\0")`,
      `$p = ${call}; substr($p, 0, -ord(substr($p, -1)))`,
    ),
  );
};

const phpDecoding = {
  base64: '$raw = base64_decode($payload)',
  base64url: "$raw = base64_decode(strtr($payload, '-_', '+/'))",
  hex: '$raw = hex2bin($payload)',
} as const;

export const rubyCall: CallOf = (wanted) => {
  const { cipher, mode, ivBytes, start, tagFollowsIv, fixedIv, keyBytes } = wanted;
  const readings: Readonly<Record<string, string>> = {
    utf8: 'key',
    hex: "[key].pack('H*')",
    base64: "key.unpack1('m')",
    sha256: 'Digest::SHA256.digest(key)',
    md5: 'Digest::MD5.digest(key)',
    'md5-hex': 'Digest::MD5.hexdigest(key)',
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined && !wanted.isSalted) return undefined;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `raw[0, ${ivBytes}]`,
    zero: `"\\0" * ${ivBytes}`,
    'key-head': `key[0, ${ivBytes}]`,
    'key-tail': `key[-${ivBytes}..]`,
  };
  const iv = cipher.iv && (ivs[cipher.iv] ?? `['${fixedIv}'].pack('H*')`);
  const digest = cipher.key === 'evp-md5' ? 'md5' : 'sha256';
  const keyed = wanted.isSalted
    ? `d.pkcs5_keyivgen(key, raw[8, 8], 1, '${digest}')`
    : `d.key = ${wanted.isCut ? `${bytes}[0, ${keyBytes}]` : bytes}`;
  const isGcm = mode === 'gcm';
  const behind = wanted.isSalted ? 16 : behindTag(wanted);
  const plain = wanted.isSalted ? 'raw[16..]' : start === 0 ? 'raw' : `raw[${start}..]`;
  const body = !isGcm ? plain : tagFollowsIv ? `raw[${behind}..]` : `raw[${start}...-16]`;
  const tag = tagFollowsIv ? `raw[${start}, 16]` : 'raw[-16..]';
  const text = `d.update(${body}) + d.final`;
  if (wanted.isSalted && isGcm) return undefined;
  return statements(
    wanted.decodes ? rubyDecoding[cipher.encoding] : '',
    `d = OpenSSL::Cipher.new(${opensslName(wanted)}).decrypt`,
    keyed,
    iv === undefined
      ? ''
      : `${isGcm && ivBytes !== 12 ? `d.iv_len = ${ivBytes}; ` : ''}d.iv = ${iv}`,
    isGcm ? `d.auth_tag = ${tag}` : '',
    isGcm || isPadded(wanted) ? '' : 'd.padding = 0',
    unpadded(wanted, text, `(${text}).sub(/\\0+\\z/n, '')`, `p = ${text}; p[0...-p[-1].ord]`),
  );
};

const rubyDecoding = {
  base64: "raw = payload.unpack1('m')",
  base64url: 'raw = Base64.urlsafe_decode64(payload)',
  hex: "raw = [payload].pack('H*')",
} as const;
