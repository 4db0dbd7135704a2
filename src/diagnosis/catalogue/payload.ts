import type { payloadCodes } from '../../errors.ts';
import type { Calls, CataloguePart } from '../catalogue-entry.ts';

/** Decryption under the default cipher: AES-256-CBC, the IV in the first 16 bytes. */
const decryptCalls: Calls = {
  java: 'Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key.getBytes(UTF_8), "AES"), new IvParameterSpec(raw, 0, 16)); c.doFinal(raw, 16, raw.length - 16)',
  kotlin:
    'Cipher.getInstance("AES/CBC/PKCS5Padding").apply { init(Cipher.DECRYPT_MODE, SecretKeySpec(key.toByteArray(), "AES"), IvParameterSpec(raw, 0, 16)) }.doFinal(raw, 16, raw.size - 16)',
  node: "const d = crypto.createDecipheriv('aes-256-cbc', key, raw.subarray(0, 16)); Buffer.concat([d.update(raw.subarray(16)), d.final()])",
  python:
    'Cipher(algorithms.AES(key.encode()), modes.CBC(raw[:16])).decryptor(), then padding.PKCS7(128).unpadder()',
  php: "openssl_decrypt(substr($raw, 16), 'aes-256-cbc', $key, OPENSSL_RAW_DATA, substr($raw, 0, 16))",
  go: 'cipher.NewCBCDecrypter(block, raw[:16]).CryptBlocks(out, raw[16:]), then take the PKCS #7 padding off',
  csharp: 'aes.Key = Encoding.UTF8.GetBytes(key); aes.DecryptCbc(raw[16..], raw[..16])',
  ruby: "d = OpenSSL::Cipher.new('aes-256-cbc').decrypt; d.key = key; d.iv = raw[0, 16]; d.update(raw[16..]) + d.final",
};

/** GCM with the tag behind the ciphertext, the IV of 12 bytes in front. */
const gcmCalls: Calls = {
  java: 'c.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, raw, 0, 12)); c.doFinal(raw, 12, raw.length - 12)  // the tag is part of the ciphertext',
  kotlin:
    'c.init(Cipher.DECRYPT_MODE, key, GCMParameterSpec(128, raw, 0, 12)); c.doFinal(raw, 12, raw.size - 12)',
  node: "const d = crypto.createDecipheriv('aes-256-gcm', key, raw.subarray(0, 12), { authTagLength: 16 }); d.setAuthTag(raw.subarray(-16)); Buffer.concat([d.update(raw.subarray(12, -16)), d.final()])",
  python: 'AESGCM(key.encode()).decrypt(raw[:12], raw[12:], None)',
  php: "openssl_decrypt(substr($raw, 12, -16), 'aes-256-gcm', $key, OPENSSL_RAW_DATA, substr($raw, 0, 12), substr($raw, -16))",
  go: 'gcm.Open(nil, raw[:12], raw[12:], nil)',
  csharp: 'new AesGcm(key, 16).Decrypt(raw[..12], raw[12..^16], raw[^16..], plaintext)',
  ruby: "d = OpenSSL::Cipher.new('aes-256-gcm').decrypt; d.key = key; d.iv = raw[0, 12]; d.auth_tag = raw[-16..]; d.update(raw[12...-16]) + d.final",
};

const encodeCalls: Calls = {
  java: 'Base64.getEncoder().encodeToString(bytes)',
  kotlin: 'Base64.getEncoder().encodeToString(bytes)',
  node: "bytes.toString('base64')",
  python: 'base64.b64encode(raw).decode()',
  php: 'base64_encode($raw)',
  go: 'base64.StdEncoding.EncodeToString(raw)',
  csharp: 'Convert.ToBase64String(bytes)',
  ruby: 'Base64.strict_encode64(raw)',
};

/** What is known of the codes of an encrypted payload. */
export const payloadCatalogue: CataloguePart<(typeof payloadCodes)[number]> = {
  'cipher-mismatch': {
    title: 'The payload was made with another cipher than the one expected',
    meaning:
      'The interface leaves the cipher of partner_sp, ubifill and ptn_sp open, so both sides have to agree on algorithm, key reading, IV, padding, encoding and tag. Here one of these differs.',
    recognised:
      'Under the expected cipher the text does not decrypt, and under another one of the notation it gives clean text: a padding, a tag or a text that noise would not have.',
    mend: 'Set the cipher that was found, or change the other side so that every part of the notation is the same. The message names the parts that differ.',
    calls: decryptCalls,
    example:
      'Expected: a random IV in front of the ciphertext. The application uses the first 16 characters of the key as IV: aes-256-cbc with iv=key-head.',
    section: '2.3',
  },
  'bad-padding': {
    title: 'The decrypted text does not end in the padding of the cipher',
    meaning:
      'Decryption ran, and its last block is not what the padding demands. With a right key and a right cipher that does not happen, so one of them is wrong, or the ciphertext was changed.',
    recognised:
      'The last block is decrypted without taking the padding off: the count in its last byte is out of range, or the bytes before it do not agree. No other cipher of the notation makes sense of the text either.',
    mend: 'Check that the key is the one of this user and of the latest key exchange, and that the ciphertext is whole. A wrong padding ends by chance in 01 once in 256 times, so one success proves nothing.',
    calls: decryptCalls,
    example:
      'The last byte is 0x3f, no count from 1 to 16: the key of another user. "ends in 5 NUL bytes": mcrypt or AES/CBC/NoPadding filled the block with zeros, padding=zero.',
    section: '2.3',
  },
  'bad-tag': {
    title: 'The authentication tag of GCM does not fit',
    meaning:
      'GCM proves that nothing was changed. The proof fails if key, IV, place of the tag or additional data differ, or if a single bit of the ciphertext does.',
    recognised:
      'The tag of 16 bytes, at both of its usual places and for IVs of 12 and 16 bytes, fits under no reading of the key.',
    mend: 'Check the key first. Then see where the stack puts the tag (Java, Go and Python append it, Node and PHP return it apart), how long the IV is, and that no additional data is given.',
    calls: gcmCalls,
    example:
      'Node: Buffer.concat([iv, encrypted]) without getAuthTag(): the last 16 bytes of the ciphertext are taken for the tag.',
    section: '2.3',
  },
  'wrong-key': {
    title: 'The payload was encrypted with another key',
    meaning:
      'The per-user key that is known here did not make this payload. Every user has a key of their own, and every key exchange replaces it.',
    recognised:
      'Under this key no cipher gives text. Under another known key (of an earlier exchange, of another user) or another form of this one (with a line end, in quotation marks, in other case) the expected cipher does.',
    mend: 'Keep keys per ptn_cd, overwrite them at each key exchange, and store the 32 characters exactly: no line end, no quotation marks, no change of case.',
    example:
      'Two sign-ups at the same time, and one variable that holds "the" key: the first user gets a passcode under the key of the second.',
    section: '4.1.1',
  },
  'payload-encoding': {
    title: 'The text of the payload is not in the expected encoding',
    meaning:
      'Before anything can be decrypted the text has to become bytes. It is in another encoding, was changed on its way, was cut, or was never encrypted.',
    recognised:
      'A character that the encoding does not have, a length that no ciphertext has, or a text that makes sense once quotation marks, URL encoding, a space for "+" or a second Base64 are undone.',
    mend: 'Encode the bytes of IV, ciphertext and tag together, once, in the agreed encoding, and put the result into JSON as it is.',
    calls: encodeCalls,
    example:
      'CryptoJS: ciphertext.toString() of a CipherParams is Base64, of its ciphertext alone hexadecimal.',
    section: '2.3',
  },
};
