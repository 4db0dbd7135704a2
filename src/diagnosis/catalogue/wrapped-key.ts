import type { wrappedKeyCodes } from '../../errors.ts';
import type { CataloguePart } from '../diagnosis.ts';
import { base64CallsOf, publicKeyCalls, wrapCalls } from './calls.ts';

const wrapping = { calls: wrapCalls, section: '2.2' };
const oaep = {
  ...wrapping,
  meaning:
    "The key is right but the padding isn't: the service expects PKCS #1 v1.5 and can't decrypt it.",
};
const encoding = { calls: base64CallsOf('ciphertext'), section: '2.2' };

/** The codes of a wrapped key: of its text (the encoding, or none at all), then of its bytes. */
export const wrappedKeyCatalogue: CataloguePart<(typeof wrappedKeyCodes)[number]> = {
  'not-base64': {
    ...encoding,
    title: 'enc_partner_key is not Base64',
    meaning:
      'The service decodes enc_partner_key as Base64 and stops at the first character outside its alphabet.',
    recognised:
      'A character outside A-Z, a-z, 0-9, "+", "/" and "=", or another notation: a decimal number, a list of bytes, percent encoding. If the bytes can still be recovered, they are decrypted.',
    fix: 'Encode the ciphertext bytes as Base64, once, and add nothing around the result.',
    example: 'new BigInteger(1, ciphertext).toString() sends 617 decimal digits.',
  },
  base64url: {
    ...encoding,
    title: 'enc_partner_key is Base64url instead of Base64',
    meaning: 'Strict decoders refuse "-" and "_"; lenient ones skip them and get wrong bytes.',
    recognised:
      '"-" or "_" is where the standard alphabet has "+" or "/". A missing "=" alone is only noted.',
    fix: 'Use the standard Base64 encoder, with padding, not the URL-safe one.',
    example:
      'Base64.getUrlEncoder() in Java, base64.urlsafe_b64encode in Python, base64.RawURLEncoding in Go.',
  },
  'line-breaks': {
    ...encoding,
    title: 'enc_partner_key has line breaks inside',
    meaning:
      'The Base64 is split into lines, as in e-mail; a strict decoder refuses the line breaks.',
    recognised:
      'Line breaks or other white space between the digits, as characters or written as \\n. White space at either end is only noted.',
    fix: "Use an encoder that doesn't break lines.",
    example:
      "Base64.getMimeEncoder() and android.util.Base64.DEFAULT (not NO_WRAP) break lines after 76 digits, Ruby's Base64.encode64 after 60, openssl base64 without -A after 64.",
  },
  hex: {
    ...encoding,
    title: 'The ciphertext is written in hexadecimal instead of Base64',
    meaning:
      'Hexadecimal digits are valid Base64 characters, too: a decoder accepts them and returns 1.5 times as many bytes, all wrong.',
    recognised:
      'All characters are hexadecimal digits, with or without "0x" and colons, directly or inside Base64.',
    fix: 'Encode the bytes of the ciphertext as Base64.',
    example:
      "encrypted.toString('hex') in Node: 512 digits for a key of 2048 bits, where Base64 has 344.",
  },
  'double-base64': {
    ...encoding,
    title: 'enc_partner_key is Base64 of Base64',
    meaning: 'Decoding it once gives Base64 text again, not the ciphertext.',
    recognised: 'The decoded bytes are Base64 text, and decoding that gives the ciphertext.',
    fix: 'Encode once: check whether your encryption library already returns Base64.',
    example:
      'JSEncrypt.encrypt() and many helpers return Base64; btoa() around it encodes a second time.',
  },
  'space-for-plus': {
    title: 'enc_partner_key has spaces in place of "+"',
    meaning: 'The text was decoded as a form or URL, where "+" means a space.',
    recognised: 'It contains spaces; with "+" in their place it has the length of a ciphertext.',
    fix: 'Don\'t pass the Base64 through a form or a query string; if you must, URL-encode it ("+" as %2B). In JSON it needs no encoding.',
    example: 'A proxy script reads enc_partner_key from $_GET and puts it into the response.',
    section: '4.1.1',
  },
  'json-quoted': {
    title: 'enc_partner_key contains quotation marks or JSON escapes',
    meaning: 'The field was already serialised as JSON before it was put into the JSON response.',
    recognised:
      "The field's text is itself a JSON string, a JSON object or Python's b'…', or contains escapes such as \\/.",
    fix: 'Pass the plain string to the JSON library and serialise the whole response once.',
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
    ...encoding,
    title: 'The ciphertext was converted to text and is corrupted',
    meaning:
      "A ciphertext is bytes, not characters. Decoding it as text replaces every byte that isn't a valid character, which can't be undone.",
    recognised:
      'Many EF BF BD (U+FFFD) or "?", or two bytes for each byte from 80 up; only the last can be undone, and is.',
    fix: 'Keep the ciphertext as bytes until you encode it as Base64; never decode it with a charset.',
    example: 'new String(cipher.doFinal(key), "UTF-8") in Java, .toString() of a Buffer in Node.',
  },
  'plain-key': {
    title: 'enc_partner_key is the plain key',
    meaning:
      "The key wasn't encrypted: anyone on the way can read it. The interface forbids it (4.1.1 rule 2).",
    recognised:
      '32 readable characters, or a UUID; an RSA ciphertext has at least 344 characters in Base64.',
    fix: 'Encrypt the key with the public_key of the request (RSA, PKCS #1 v1.5 padding), then encode the ciphertext as Base64. That key is compromised: generate a new one.',
    calls: wrapCalls,
    example: '"result": {"enc_partner_key": userKey}',
    section: '4.1.1',
  },
  'base64-of-plain-key': {
    title: 'enc_partner_key is Base64 of the plain key',
    meaning: "Base64 isn't encryption: anyone on the way can read the key (4.1.1 rule 2).",
    recognised:
      'It decodes to 32 readable characters, or 32 bytes; with a 2048-bit key, a ciphertext has 256 bytes.',
    fix: 'Encrypt the key with the public_key of the request (RSA, PKCS #1 v1.5 padding) before encoding it. That key is compromised: generate a new one.',
    calls: wrapCalls,
    example:
      'base64_encode($userKey), without openssl_public_encrypt, or ignoring that it returned false.',
    section: '4.1.1',
  },
  'wrong-length': {
    title: "The ciphertext's length doesn't match the RSA key",
    meaning:
      'An RSA ciphertext is exactly as long as the modulus: 256 bytes for 2048 bits. Any other length is refused before decryption.',
    recognised:
      'The decoded bytes are counted and compared with the public_key of the request. Leading zeros that a BigInteger dropped or added are corrected so that the rest can be checked.',
    fix: 'Use the public_key of the request, of whatever size, and send the whole ciphertext: check for a column, a log or a buffer that truncates it, and for BigInteger.toByteArray().',
    calls: publicKeyCalls,
    example:
      'A 1024-bit test key in the configuration gives 128 bytes, while the request sent a key of 2048 bits.',
    section: '2.2',
  },
  'oaep-sha1': {
    ...oaep,
    title: 'The key was wrapped with OAEP (SHA-1) instead of PKCS #1 v1.5',
    recognised:
      'The whole block is recovered with the private key and unmasked with MGF1 over SHA-1: it contains the SHA-1 of the empty label.',
    fix: 'Request PKCS #1 v1.5 padding by name; "RSA" alone, or no padding option, means OAEP in Node and many libraries.',
    example:
      'crypto.publicEncrypt(publicKey, key) in Node, RSAEncryptionPadding.OaepSHA1 in .NET, OPENSSL_PKCS1_OAEP_PADDING in PHP.',
  },
  'oaep-sha256': {
    ...oaep,
    title: 'The key was wrapped with OAEP (SHA-256) instead of PKCS #1 v1.5',
    recognised:
      'The whole block is recovered with the private key and unmasked with MGF1: it contains the SHA-256 of the empty label. The message shows whether MGF1 used SHA-256 too or, as in Java by default, SHA-1.',
    fix: 'Request PKCS #1 v1.5 padding by name. OAEP is generally better, but the interface requires PKCS #1 v1.5.',
    example:
      'Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding") in Java, which masks with SHA-1; padding.OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None) in Python; { name: "RSA-OAEP", hash: "SHA-256" } in WebCrypto, which has no PKCS #1 v1.5 encryption at all.',
  },
  'oaep-other': {
    ...oaep,
    title: 'The key was wrapped with OAEP, with uncommon hashes or a label',
    recognised:
      'The whole block is unmasked with every pair of hashes in use. A non-empty label is recognised by the zeros before the message.',
    fix: 'Request PKCS #1 v1.5 padding by name.',
    example:
      'RSAEncryptionPadding.OaepSHA512 in .NET; rsa.EncryptOAEP(sha512.New(), …, label) in Go.',
  },
  'no-padding': {
    ...wrapping,
    title: 'The key was encrypted without PKCS #1 v1.5 padding',
    meaning:
      'RSA without padding always gives the same ciphertext for the same key and is easily broken; the service refuses the block.',
    recognised:
      'The block is the key with zeros, spaces or one repeated byte before or after it, or has custom padding that violates a step of RFC 8017 7.2.2.',
    fix: 'Let the library add the padding: request PKCS #1 v1.5 and pass it the 32 bytes unchanged.',
    example:
      'Cipher.getInstance("RSA/ECB/NoPadding") or Cipher.getInstance("RSA") with Bouncy Castle; pow(m, e, n) in Python; OPENSSL_NO_PADDING in PHP.',
  },
  'pkcs1-type-1': {
    ...wrapping,
    title: 'The padding is that of a signature (block type 1)',
    meaning:
      'The block was padded with FF bytes, as for signing, instead of random bytes: the same key always gives the same ciphertext, and the service refuses it.',
    recognised: 'The block starts with 00 01 FF FF; encryption uses 00 02 and random bytes.',
    fix: "Encrypt with the public key; don't use a function for private keys or signatures.",
    example:
      "openssl_private_encrypt, RSA_private_encrypt, Node's crypto.privateEncrypt: they pad with block type 1.",
  },
  'earlier-public-key': {
    title: 'The key was wrapped with an earlier public key',
    meaning:
      'The application stored an earlier public key. The service sends the key to use with each request, and may change it.',
    recognised:
      "It decrypts with the private key of an earlier public_key, but not with this request's.",
    fix: "Use the public_key from each request; don't keep a copy in a file, a cache or a static field.",
    calls: publicKeyCalls,
    example: 'A Spring bean that reads the public key once, at startup.',
    section: '4.1.1',
  },
  'other-public-key': {
    title: 'The key was wrapped with another public key',
    meaning:
      'The ciphertext has the right length but decrypts to garbage: it was encrypted for another key, or not with RSA.',
    recognised:
      'The block has no structure: no PKCS #1 padding, no OAEP with any hash, no zeros, not even with reversed bytes or with any other key known here.',
    fix: 'Use the public_key from this request. Check for a key in the configuration, two concurrent requests mixed up, and a damaged modulus.',
    calls: publicKeyCalls,
    example: 'The public key of the staging environment is built into the application.',
    section: '4.1.1',
  },
  'key-bytes-reversed': {
    title: 'The bytes of the ciphertext are in reverse order',
    meaning:
      'Windows CryptoAPI (CryptEncrypt) returns ciphertexts in little-endian order; everything else uses big-endian.',
    recognised: 'It decrypts once its bytes are reversed.',
    fix: 'Reverse the bytes before encoding them, or use CNG (BCryptEncrypt, RSA.Create()), which returns them in the usual order.',
    calls: {
      csharp:
        'rsa.Encrypt(Encoding.UTF8.GetBytes(userKey), RSAEncryptionPadding.Pkcs1) // or Array.Reverse(ciphertext) after CryptEncrypt',
      python: 'ciphertext[::-1]  # after win32crypt',
      node: 'ciphertext.reverse() // after CryptEncrypt',
      go: 'for i, j := 0, len(ciphertext)-1; i < j; i, j = i+1, j-1 { ciphertext[i], ciphertext[j] = ciphertext[j], ciphertext[i] } // after CryptEncrypt',
    },
    example: 'CryptEncrypt in C++, or a COM component that calls it.',
    section: '2.2',
  },
};
