import type { CataloguePart } from '../catalogue-entry.ts';
import { wrapCalls } from '../catalogue-entry.ts';
import { publicKeyCalls } from '../wrap-calls.ts';

/** What is known of wrapped keys whose bytes are wrong: their length, padding, key or order. */
export const ciphertextCatalogue: CataloguePart<
  | 'wrong-length'
  | 'oaep-sha1'
  | 'oaep-sha256'
  | 'oaep-other'
  | 'no-padding'
  | 'pkcs1-type-1'
  | 'earlier-public-key'
  | 'other-public-key'
  | 'key-bytes-reversed'
> = {
  'wrong-length': {
    title: 'The ciphertext has another length than the key gives',
    meaning:
      'RSA gives exactly as many bytes as the modulus has: 256 with 2048 bits. Other lengths are refused before anything is decrypted.',
    recognised:
      'The decoded bytes are counted and compared with the public_key of the request. Zeros that a BigInteger left out or put in front are mended for the sake of the rest.',
    mend: 'Use the public_key of the request, of whatever size, and send the ciphertext whole: look for a column, a log or a buffer that cuts it, and for BigInteger.toByteArray().',
    calls: publicKeyCalls,
    example:
      'A 1024-bit test key in the configuration gives 128 bytes, while the request sent a key of 2048 bits.',
    section: '2.2',
  },
  'oaep-sha1': {
    title: 'The key was wrapped with OAEP (SHA-1) instead of PKCS #1 v1.5',
    meaning:
      "The key is right and the padding is another: the service, which expects PKCS #1 v1.5, can't open it.",
    recognised:
      'The whole block is recovered with the private key and unmasked with MGF1 over SHA-1: it holds the SHA-1 of the empty label.',
    mend: 'Ask for PKCS #1 v1.5 padding by name; what is called "RSA" or left out is OAEP in Node and in many libraries.',
    calls: wrapCalls,
    example:
      'crypto.publicEncrypt(publicKey, key) in Node, RSAEncryptionPadding.OaepSHA1 in .NET, OPENSSL_PKCS1_OAEP_PADDING in PHP.',
    section: '2.2',
  },
  'oaep-sha256': {
    title: 'The key was wrapped with OAEP (SHA-256) instead of PKCS #1 v1.5',
    meaning:
      "The key is right and the padding is another: the service, which expects PKCS #1 v1.5, can't open it.",
    recognised:
      'The whole block is recovered with the private key and unmasked with MGF1: it holds the SHA-256 of the empty label. The message says whether MGF1 used SHA-256 too or, as Java does by default, SHA-1.',
    mend: 'Ask for PKCS #1 v1.5 padding by name. OAEP is the better padding where both sides can choose; here the interface has chosen.',
    calls: wrapCalls,
    example:
      'Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding") in Java, which masks with SHA-1; padding.OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None) in Python; { name: "RSA-OAEP", hash: "SHA-256" } in WebCrypto, which has no PKCS #1 v1.5 encryption at all.',
    section: '2.2',
  },
  'oaep-other': {
    title: 'The key was wrapped with OAEP, with uncommon hashes or a label',
    meaning:
      "The key is right and the padding is another: the service, which expects PKCS #1 v1.5, can't open it.",
    recognised:
      "The whole block is unmasked with every pair of hashes in use. A label that isn't empty is told by the zeros that stand before the message.",
    mend: 'Ask for PKCS #1 v1.5 padding by name.',
    calls: wrapCalls,
    example:
      'RSAEncryptionPadding.OaepSHA512 in .NET; rsa.EncryptOAEP(sha512.New(), …, label) in Go.',
    section: '2.2',
  },
  'no-padding': {
    title: 'The key was encrypted without PKCS #1 v1.5 padding',
    meaning:
      'Bare RSA of a short text always gives the same ciphertext and is easily broken; the service refuses the block.',
    recognised:
      'The block is the key and zeros, spaces or equal bytes before or after it, or has a padding that was made by hand and breaks a step of RFC 8017 7.2.2.',
    mend: 'Let the library pad: name PKCS #1 v1.5 and give it the 32 bytes as they are.',
    calls: wrapCalls,
    example:
      'Cipher.getInstance("RSA/ECB/NoPadding") or Cipher.getInstance("RSA") with Bouncy Castle; pow(m, e, n) in Python; OPENSSL_NO_PADDING in PHP.',
    section: '2.2',
  },
  'pkcs1-type-1': {
    title: 'The padding is that of a signature (block type 1)',
    meaning:
      'The block was padded with FF bytes, as for signing, instead of random bytes: the same key always gives the same ciphertext, and the service refuses it.',
    recognised: 'The block begins 00 01 FF FF, where encryption has 00 02 and random bytes.',
    mend: 'Encrypt with the public key; do not "encrypt" with a function for private keys or signatures.',
    calls: wrapCalls,
    example:
      "openssl_private_encrypt, RSA_private_encrypt, Node's crypto.privateEncrypt: they pad with block type 1.",
    section: '2.2',
  },
  'earlier-public-key': {
    title: 'The key was wrapped with an earlier public key',
    meaning:
      'The application kept a public key of before. The service sends the one to use with each request, and may change it.',
    recognised:
      'It opens with a private key whose public half was sent earlier, and not with that of this request.',
    mend: 'Read public_key from each request and use that one; keep no copy of it in a file, a cache or a static field.',
    calls: publicKeyCalls,
    example: 'A Spring bean that reads the public key once, at start.',
    section: '4.1.1',
  },
  'other-public-key': {
    title: 'The key was wrapped with another public key',
    meaning:
      'The ciphertext has the right length, and decrypting it gives noise: it was made for another key, or not by RSA.',
    recognised:
      'The block has no structure: no PKCS #1 padding, no OAEP by any hash, no zeros; nor has it read from back to front, or with any other key known here.',
    mend: 'Read public_key from this very request. Look for a key in the configuration, a mix-up of two requests at the same time, and a damaged modulus.',
    calls: publicKeyCalls,
    example: 'The public key of the staging environment is built into the application.',
    section: '4.1.1',
  },
  'key-bytes-reversed': {
    title: 'The bytes of the ciphertext are in reverse order',
    meaning:
      'Windows CryptoAPI (CryptEncrypt) gives ciphertexts with the lowest byte first; everybody else has the highest first.',
    recognised: 'Read from the last byte to the first, it opens.',
    mend: 'Reverse the bytes before they are encoded, or use CNG (BCryptEncrypt, RSA.Create()), which gives them in the usual order.',
    calls: {
      csharp:
        'rsa.Encrypt(Encoding.UTF8.GetBytes(userKey), RSAEncryptionPadding.Pkcs1) // or Array.Reverse(ciphertext) after CryptEncrypt',
      python: 'ciphertext[::-1]  # after win32crypt',
      node: 'ciphertext.reverse() // after CryptEncrypt',
      go: 'slices.Reverse(ciphertext) // after CryptEncrypt',
    },
    example: 'CryptEncrypt in C++, or a COM component that calls it.',
    section: '2.2',
  },
};
