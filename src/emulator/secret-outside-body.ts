import { decodeBase64Lenient, decodeUtf8 } from '../bytes.ts';
import type { EmulatorRequest } from './http.ts';

const shortSecret = 8;

/**
 * Whether the secret key stands in the URL or in a header (section 5.1: it is sent in the body, no
 * header is involved): a `secret_key` in the query, or the secret itself anywhere there, plain,
 * URL-encoded or in the Base64 of Basic authentication (RFC 7617).
 */
export function secretOutsideBody(request: EmulatorRequest, secretKey: string): boolean {
  const { path, query = '', headers } = request;
  const parameters = new URLSearchParams(query);
  if (parameters.has('secret_key')) return true;
  const texts = [path, query, ...parameters.values(), ...Object.values(headers)];
  const basic = /^basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const credentials = decodeUtf8(decodeBase64Lenient(basic ?? '') ?? new Uint8Array()) ?? '';
  return [...texts, ...credentials.split(':')].some((text) => holds(text, secretKey));
}

/** A short secret is found only where it stands alone: "test" is a part of many a header. */
function holds(text: string, secretKey: string): boolean {
  return secretKey.length < shortSecret
    ? text === secretKey && text !== ''
    : text.includes(secretKey);
}
