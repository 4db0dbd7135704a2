import type { UnreadDer } from './der-keys.ts';
import { parseJson, readJwk } from './jwk.ts';
import { type KeyStructure, keyStructure } from './key-structure.ts';
import { readOpenSshText } from './openssh.ts';
import { looksLikePem } from './pem.ts';
import { readPemKey } from './pem-keys.ts';
import { readXmlKey } from './xml-key.ts';

/** A text that is a key as it stands, and the form it has. */
export interface KeyForm {
  readonly encoding: 'jwk' | 'pem' | 'openssh' | 'xml';
  readonly read: KeyStructure | UnreadDer;
}

/** Reads a text that is itself a form of key: JWK, PEM, OpenSSH, PuTTY, XML; undefined for any other. */
export function readKeyForm(text: string): KeyForm | undefined {
  const jwk = text.startsWith('{') ? readJwk(parseJson(text)) : undefined;
  if (jwk !== undefined) return { encoding: 'jwk', read: jwk };
  if (isPem(text)) return { encoding: 'pem', read: readPemKey(text) };
  const openSsh = readPutty(text) ?? readOpenSshText(text);
  if (openSsh !== undefined) return { encoding: 'openssh', read: openSsh };
  const xml = readXmlKey(text);
  return xml && { encoding: 'xml', read: xml };
}

/** In JSON, quotes or unread escapes, PEM has another layer around it; RFC 4716 only looks like PEM. */
function isPem(text: string): boolean {
  return (
    looksLikePem(text) &&
    !/^[{["'`]/.test(text) &&
    !/\\[nr]/.test(text) &&
    !text.includes('BEGIN SSH2 PUBLIC')
  );
}

/** PuTTY's own file holds the private key beside the public one. */
function readPutty(text: string): KeyStructure | undefined {
  if (!text.startsWith('PuTTY-User-Key-File-')) return undefined;
  return keyStructure('private-key', 'PuTTY', {
    refusal: {
      code: 'malformed',
      reason:
        "it is a private key in PuTTY's own format; puttygen -O private-openssh and ssh-keygen -p -m PEM turn it into PKCS #1",
    },
  });
}
