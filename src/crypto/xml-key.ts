import { decodeBase64Lenient } from '../bytes.ts';
import { type KeyStructure, keyStructure } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';
import { judgeNumbers } from './rsa-structures.ts';

/** The key of .NET's `ToXmlString` (RSAKeyValue, XML Signature 4.5.2.2); undefined for any other text. */
export function readXmlKey(text: string): KeyStructure | undefined {
  if (!text.includes('RSAKeyValue')) return undefined;
  const modulus = readElement(text, 'Modulus');
  const exponent = readElement(text, 'Exponent');
  if (modulus === undefined || exponent === undefined) return undefined;
  const kind = /<D>/.test(text) ? 'private-key' : 'public-key';
  const judged = judgeNumbers(modulus, toBigInt(exponent));
  return keyStructure(kind, 'XML', { algorithm: 'rsa', algorithmName: 'RSA', ...judged });
}

function readElement(text: string, name: string): Uint8Array | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return undefined;
  return decodeBase64Lenient(text.slice(start + name.length + 2, end));
}
