/** How a text is encoded, in the words of `key inspect`. */
export type KeyEncoding =
  | 'base64'
  | 'pem'
  | 'base64url'
  | 'hex'
  | 'double-base64'
  | 'jwk'
  | 'openssh'
  | 'der'
  | 'xml';

/** Base64 of Base64 or of PEM is `double-base64`; otherwise the outermost encoding names the whole. */
export function nameEncoding(encodings: readonly KeyEncoding[]): KeyEncoding | undefined {
  const [outer, inner] = encodings;
  const isBase64 = outer === 'base64' || outer === 'base64url';
  return isBase64 && inner !== undefined ? 'double-base64' : outer;
}

const encodingNames: Readonly<Record<KeyEncoding, string>> = {
  base64: 'Base64',
  pem: 'PEM',
  base64url: 'Base64url',
  hex: 'hexadecimal',
  'double-base64': 'Base64',
  jwk: 'a JWK',
  openssh: 'OpenSSH text',
  der: 'DER',
  xml: 'XML',
};

/** The layers as people say them, outermost first: "Base64 of PEM". */
export function nameLayers(encodings: readonly KeyEncoding[]): string {
  return encodings.map((encoding) => encodingNames[encoding]).join(' of ');
}
