import forge from 'node-forge';

/* What node-forge does here: it is loaded only for a file that needs it. */

/** RC2-CBC (RFC 2268) with as many effective bits as the key has; the padding stays. */
export function decryptRc2(key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const decipher = forge.rc2.createDecryptionCipher(binary(key), key.length * 8);
  decipher.start(binary(iv));
  decipher.update(forge.util.createBuffer(binary(ciphertext)));
  decipher.finish(() => true);
  return Buffer.from(decipher.output.getBytes(), 'latin1');
}

/** BER with its indefinite lengths as DER; undefined for what can't be read. */
export function definiteLengths(ber: Uint8Array): Uint8Array | undefined {
  try {
    return Buffer.from(forge.asn1.toDer(forge.asn1.fromDer(binary(ber))).getBytes(), 'latin1');
  } catch {
    return undefined;
  }
}

function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
