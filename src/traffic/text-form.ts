import { encodeBase64, encodeBase64Url, encodeHex } from '../bytes.ts';
import { withoutEnd } from '../text.ts';

/**
 * The bytes written as another text of as many bytes is: its alphabet (Base64, Base64url,
 * hexadecimal in either case), its padding or lack of it, every line break and blank in its place,
 * and its PEM header and footer. Undefined if the bytes don't fit into that form.
 */
export function encodeLike(model: string, bytes: Uint8Array): string | undefined {
  const [, before = '', block = '', after = ''] =
    /^(\s*-----BEGIN [^-]+-----)([^-]*)(-----END [^-]+-----\s*)$/.exec(model) ?? ['', '', model];
  const written = encodeInAlphabet(block.replace(/\s/g, ''), bytes);
  if (written === undefined) return undefined;
  let taken = 0;
  return before + block.replace(/\S/g, () => written[taken++] ?? '') + after;
}

function encodeInAlphabet(model: string, bytes: Uint8Array): string | undefined {
  const hex = encodeHex(bytes);
  if (hex.length === model.length && /^[\da-f]*$/i.test(model)) {
    return /[A-F]/.test(model) ? hex.toUpperCase() : hex;
  }
  if (!/^[\w+/-]*=*$/.test(model)) return undefined;
  const encode = /[-_]/.test(model) ? encodeBase64Url : encodeBase64;
  const text = withoutEnd(encode(bytes), '=').padEnd(model.length, '=');
  const padding = text.length - withoutEnd(text, '=').length;
  const modelPadding = model.length - withoutEnd(model, '=').length;
  return text.length === model.length && padding === modelPadding ? text : undefined;
}
