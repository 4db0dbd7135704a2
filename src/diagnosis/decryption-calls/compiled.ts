import { type CallOf, statements, type Wanted } from './wanted.ts';

/** The standard library; it has no ECB and no ARIA. */
export const goCall: CallOf = (wanted) => {
  const { cipher, family, mode, ivBytes, start, fixedIv, keyBytes } = wanted;
  const readings: Readonly<Record<string, string>> = {
    utf8: wanted.isCut ? `[]byte(key)[:${keyBytes}]` : '[]byte(key)',
    hex: 'keyBytes',
    base64: 'keyBytes',
    sha256: 'sum[:]',
    md5: 'sum[:]',
  };
  const setUps: Readonly<Record<string, string>> = {
    hex: 'keyBytes, _ := hex.DecodeString(key)',
    base64: 'keyBytes, _ := base64.StdEncoding.DecodeString(key)',
    sha256: 'sum := sha256.Sum256([]byte(key))',
    md5: 'sum := md5.Sum([]byte(key))',
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined || family === 'aria') return undefined;
  const isLong = wanted.isCut && cipher.key !== 'utf8';
  const key = isLong ? `${bytes.replace('[:]', '')}[:${keyBytes}]` : bytes;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `raw[:${ivBytes}]`,
    zero: `make([]byte, ${ivBytes})`,
    'key-head': `[]byte(key)[:${ivBytes}]`,
    'key-tail': `[]byte(key)[len(key)-${ivBytes}:]`,
  };
  const rule = cipher.iv === undefined ? '' : (ivs[cipher.iv] ?? 'iv');
  const newCipher = family === 'des' ? 'des.NewTripleDESCipher' : 'aes.NewCipher';
  return statements(
    wanted.decodes ? goDecoding[cipher.encoding] : '',
    setUps[cipher.key] ?? '',
    fixedIv === undefined ? '' : `iv, _ := hex.DecodeString("${fixedIv}")`,
    `block, err := ${newCipher}(${key})`,
    goMode(wanted, rule, start === 0 ? 'raw' : `raw[${start}:]`) + goPadding(mode, cipher.padding),
  );
};

function goMode(
  { mode, ivBytes, start, tagFollowsIv, tagBytes }: Wanted,
  iv: string,
  body: string,
) {
  if (mode === 'ecb')
    return 'for i := 0; i < len(raw); i += 16 { block.Decrypt(out[i:], raw[i:]) }';
  if (mode === 'cbc') return `cipher.NewCBCDecrypter(block, ${iv}).CryptBlocks(out, ${body})`;
  if (mode === 'ctr') return `cipher.NewCTR(block, ${iv}).XORKeyStream(out, ${body})`;
  if (mode === 'cfb') return `cipher.NewCFBDecrypter(block, ${iv}).XORKeyStream(out, ${body})`;
  const create = ivBytes === 12 ? 'NewGCM(block)' : `NewGCMWithNonceSize(block, ${ivBytes})`;
  const behind = start + tagBytes;
  const sealed = tagFollowsIv ? `append(raw[${behind}:], raw[${start}:${behind}]...)` : body;
  return `gcm, err := cipher.${create}; text, err := gcm.Open(nil, ${iv}, ${sealed}, nil)`;
}

function goPadding(mode: Wanted['mode'], padding: Wanted['cipher']['padding'] = 'none'): string {
  if (mode === 'gcm' || padding === 'none') return '';
  return padding === 'zero'
    ? '; bytes.TrimRight(out, "\\x00")'
    : ` // then check the ${paddingNames[padding]} padding and cut it off`;
}

const paddingNames = { pkcs7: 'PKCS #7', ansix923: 'ANSI X9.23', iso10126: 'ISO 10126' } as const;

const goDecoding = {
  base64: 'raw, err := base64.StdEncoding.DecodeString(payload)',
  base64url: 'raw, err := base64.RawURLEncoding.DecodeString(payload)',
  hex: 'raw, err := hex.DecodeString(payload)',
} as const;

const csharpPaddings = {
  pkcs7: 'PKCS7',
  zero: 'None',
  ansix923: 'ANSIX923',
  iso10126: 'ISO10126',
  none: 'None',
} as const;

/** System.Security.Cryptography; it has no CTR and no ARIA, and GCM only with IVs of 12 bytes. */
export const csharpCall: CallOf = (wanted) => {
  const { cipher, family, mode, ivBytes, start, fixedIv, keyBytes } = wanted;
  const readings: Readonly<Record<string, string>> = {
    utf8: 'Encoding.UTF8.GetBytes(key)',
    hex: 'Convert.FromHexString(key)',
    base64: 'Convert.FromBase64String(key)',
    sha256: 'SHA256.HashData(Encoding.UTF8.GetBytes(key))',
    md5: 'MD5.HashData(Encoding.UTF8.GetBytes(key))',
    'md5-hex':
      'Encoding.UTF8.GetBytes(Convert.ToHexString(MD5.HashData(Encoding.UTF8.GetBytes(key))).ToLower())',
  };
  const bytes = readings[cipher.key];
  if (bytes === undefined || family === 'aria' || mode === 'ctr') return undefined;
  const key = wanted.isCut ? `${bytes}[..${keyBytes}]` : bytes;
  const ivs: Readonly<Record<string, string>> = {
    prefix: `raw[..${ivBytes}]`,
    zero: `new byte[${ivBytes}]`,
    'key-head': `Encoding.UTF8.GetBytes(key)[..${ivBytes}]`,
    'key-tail': `Encoding.UTF8.GetBytes(key)[^${ivBytes}..]`,
  };
  const iv =
    cipher.iv === undefined ? '' : (ivs[cipher.iv] ?? `Convert.FromHexString("${fixedIv}")`);
  const decode = wanted.decodes ? csharpDecoding[cipher.encoding] : '';
  if (decode === undefined) return undefined;
  if (mode === 'gcm') return statements(decode, csharpGcm(wanted, key, iv));
  const name = family === 'des' ? 'des3' : 'aes';
  const body = start === 0 ? 'raw' : `raw[${start}..]`;
  const padding = `PaddingMode.${csharpPaddings[cipher.padding ?? 'none']}`;
  const isPlain = cipher.padding === 'pkcs7' && mode === 'cbc';
  const rest = [iv, isPlain ? '' : padding, mode === 'cfb' ? '128' : ''].filter(
    (part) => part !== '',
  );
  const call = `${name}.Decrypt${methods[mode]}(${[body, ...rest].join(', ')})`;
  return statements(decode, `${name}.Key = ${key}`, call + (cipher.padding === 'zero' ? trim : ''));
};

const trim = ' // then cut the NUL bytes off';
const methods = { cbc: 'Cbc', ecb: 'Ecb', cfb: 'Cfb' } as const;

function csharpGcm({ start, ivBytes, tagFollowsIv }: Wanted, key: string, iv: string) {
  if (ivBytes !== 12) return undefined;
  const behind = start + 16;
  const [body, tag] = tagFollowsIv
    ? [`raw[${behind}..]`, `raw[${start}..${behind}]`]
    : [`raw[${start}..^16]`, 'raw[^16..]'];
  return `new AesGcm(${key}, 16).Decrypt(${iv}, ${body}, ${tag}, text)`;
}

const csharpDecoding: Readonly<Record<string, string>> = {
  base64: 'var raw = Convert.FromBase64String(payload)',
  hex: 'var raw = Convert.FromHexString(payload)',
};
