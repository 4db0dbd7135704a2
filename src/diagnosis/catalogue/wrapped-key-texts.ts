import type { CataloguePart } from '../catalogue-entry.ts';
import { wrapCalls } from '../catalogue-entry.ts';
import { base64Calls } from '../wrap-calls.ts';

/** What is known of wrapped keys whose text is wrong: the encoding, or no encryption at all. */
export const wrappedTextCatalogue: CataloguePart<
  | 'not-base64'
  | 'base64url'
  | 'line-breaks'
  | 'hex'
  | 'double-base64'
  | 'space-for-plus'
  | 'json-quoted'
  | 'utf8-mangled'
  | 'plain-key'
  | 'base64-of-plain-key'
> = {
  'not-base64': {
    title: 'enc_partner_key is no Base64',
    meaning:
      'The service decodes enc_partner_key as Base64 and stops at the first character that is none.',
    recognised:
      'A character outside A-Z, a-z, 0-9, "+", "/" and "=", or another notation: a decimal number, a list of bytes, percent encoding. Where the bytes can still be had, they are opened.',
    mend: 'Encode the bytes of the ciphertext as Base64, once, and put nothing around them.',
    calls: base64Calls,
    example: 'new BigInteger(1, ciphertext).toString() sends 617 decimal digits.',
    section: '2.2',
  },
  base64url: {
    title: 'enc_partner_key is Base64url instead of Base64',
    meaning: 'Strict decoders refuse "-" and "_"; lenient ones skip them and get other bytes.',
    recognised:
      '"-" or "_" stands where the standard alphabet has "+" or "/". A missing "=" alone is only noted.',
    mend: 'Use the encoder of the standard alphabet, with padding, not the one for URLs.',
    calls: base64Calls,
    example:
      'Base64.getUrlEncoder() in Java, base64.urlsafe_b64encode in Python, base64.RawURLEncoding in Go.',
    section: '2.2',
  },
  'line-breaks': {
    title: 'enc_partner_key has line breaks inside',
    meaning: 'The Base64 was broken into lines as for e-mail; a strict decoder refuses them.',
    recognised:
      'Line breaks or other white space between the digits, as characters or written as \\n. White space around is only noted.',
    mend: 'Use the encoder that writes one line.',
    calls: {
      ...base64Calls,
      kotlin: 'Base64.encodeToString(ciphertext, Base64.NO_WRAP) // android.util.Base64',
    },
    example:
      "Base64.getMimeEncoder() and android.util.Base64.DEFAULT break lines after 76 digits, Ruby's Base64.encode64 after 60, openssl base64 without -A after 64.",
    section: '2.2',
  },
  hex: {
    title: 'The ciphertext is written in hexadecimal instead of Base64',
    meaning:
      'Hexadecimal digits are Base64 digits too: a decoder takes them and gets half as many bytes again, none of them right.',
    recognised:
      'All characters are hexadecimal digits, with "0x", colons or a decimal point of none; where Base64 stands around them, its content is.',
    mend: 'Encode the bytes of the ciphertext as Base64.',
    calls: base64Calls,
    example:
      "encrypted.toString('hex') in Node: 512 digits for a key of 2048 bits, where Base64 has 344.",
    section: '2.2',
  },
  'double-base64': {
    title: 'enc_partner_key is Base64 of Base64',
    meaning: 'Decoded once it is a text again, which is no ciphertext.',
    recognised:
      'The decoded bytes are a text of Base64 digits, and decoding that gives the ciphertext.',
    mend: 'Encode once: look whether the library that encrypts gives Base64 already.',
    calls: {
      ...base64Calls,
      php: 'openssl_public_encrypt gives bytes: base64_encode once',
      node: "publicEncrypt gives bytes: .toString('base64') once",
    },
    example:
      'JSEncrypt.encrypt() and many helpers give Base64; btoa() around it encodes a second time.',
    section: '2.2',
  },
  'space-for-plus': {
    title: 'enc_partner_key has spaces where "+" belongs',
    meaning: 'The text went through a decoder of forms or URLs, which reads "+" as a space.',
    recognised: 'Spaces inside; with "+" in their place the length is that of a ciphertext.',
    mend: 'Do not pass the Base64 through a form or a query string; where it must be, encode it for them ("+" as %2B). In JSON it stands as it is.',
    example: 'A proxy script reads enc_partner_key from $_GET and puts it into the answer.',
    section: '4.1.1',
  },
  'json-quoted': {
    title: 'enc_partner_key has quotation marks or JSON escapes inside',
    meaning: 'The field was written as JSON before it was put into the JSON of the answer.',
    recognised:
      "The text of the field is itself a JSON string, a JSON object, Python's b'…', or has escapes such as \\/ in it.",
    mend: 'Give the plain string to the JSON library and let it write the whole answer, once.',
    calls: {
      java: 'result.put("enc_partner_key", wrapped) // a String, not objectMapper.writeValueAsString(wrapped)',
      kotlin: 'mapOf("enc_partner_key" to wrapped)',
      node: 'JSON.stringify({ result: { enc_partner_key: wrapped } }) // not JSON.stringify(wrapped) inside',
      python: 'base64.b64encode(ciphertext).decode()  # a str, not str() of bytes',
      php: "['enc_partner_key' => $wrapped] // not json_encode($wrapped) inside",
      go: 'EncPartnerKey string `json:"enc_partner_key"` // not json.RawMessage',
      csharp: 'new { enc_partner_key = wrapped } // not JsonSerializer.Serialize(wrapped)',
      ruby: '{ enc_partner_key: wrapped } # not wrapped.to_json',
    },
    example: "str(base64.b64encode(c)) in Python 3 gives b'…' with the b and the quotes.",
    section: '4.1.1',
  },
  'utf8-mangled': {
    title: 'The ciphertext went through text and is destroyed',
    meaning:
      'A ciphertext is bytes, not characters. Decoded as text, every byte that fits no character is replaced, and nothing brings it back.',
    recognised:
      'EF BF BD (U+FFFD), or "?" in masses, or two bytes for each byte from 80 on; the last can be undone, and is.',
    mend: 'Keep the ciphertext in bytes until it is Base64; never make a string of it with a charset.',
    calls: base64Calls,
    example: 'new String(cipher.doFinal(key), "UTF-8") in Java, .toString() of a Buffer in Node.',
    section: '2.2',
  },
  'plain-key': {
    title: 'enc_partner_key is the plain key',
    meaning:
      'The key was not encrypted: everybody on the way can read it. The interface forbids that in so many words (4.1.1 rule 2).',
    recognised:
      '32 readable characters, or a UUID; a ciphertext of RSA has 344 and more in Base64.',
    mend: 'Encrypt the key with the public_key of the request (RSA, PKCS #1 v1.5 padding), then encode the ciphertext as Base64. The key that was sent is burnt: make a new one.',
    calls: wrapCalls,
    example: '"result": {"enc_partner_key": userKey}',
    section: '4.1.1',
  },
  'base64-of-plain-key': {
    title: 'enc_partner_key is Base64 of the plain key',
    meaning: 'Base64 is no encryption: everybody on the way can read the key (4.1.1 rule 2).',
    recognised:
      'Decoded it is 32 readable characters, or 32 bytes; a ciphertext has 256 bytes with a key of 2048 bits.',
    mend: 'Encrypt the key with the public_key of the request (RSA, PKCS #1 v1.5 padding) before it is encoded. The key that was sent is burnt: make a new one.',
    calls: wrapCalls,
    example:
      'base64_encode($userKey), with openssl_public_encrypt left out or its false overlooked.',
    section: '4.1.1',
  },
};
