import { defaultCipher, parseCipher } from '../crypto/cipher.ts';
import type { Calls, Diagnosis, DiagnosisCode, Evidence } from '../errors.ts';
import {
  base64CallsOf,
  exemptCalls,
  generateCalls,
  nameCalls,
  publicKeyCalls,
  refuseCallsOf,
  responseCalls,
  storeCalls,
  wrapCalls,
} from './calls.ts';
import { decryptionCalls } from './decryption-calls.ts';
import { comparesCode, comparesPasscode } from './signin-calls.ts';

/** One diagnosis code, as `explain`, hints, reports and the docs print it. */
export interface CatalogueEntry {
  /** The cause in one line, without a full stop: "The key was wrapped with OAEP (SHA-1)". */
  readonly title: string;
  /** What it means for the integration, in one or two sentences. */
  readonly meaning: string;
  /** What authcli inspects, and what it finds there. */
  readonly recognised: string;
  readonly fix: string;
  /** By stack, the right call, where the fix is a call. */
  readonly calls?: Calls;
  /** A wrong input or line of code, and its effect. */
  readonly example: string;
  /** The section of the interface that it breaks, such as "2.2"; absent for the connection. */
  readonly section?: string;
}

/** A certain diagnosis of what was observed, with the fix and the calls of the catalogue. */
export function diagnose(code: DiagnosisCode, message: string, evidence?: Evidence): Diagnosis {
  const { fix: hint, calls = {} } = catalogue[code];
  return { code, confidence: 'certain', message, hint, calls, ...(evidence && { evidence }) };
}

const wrapping = { calls: wrapCalls, section: '2.2' };
const oaep = {
  ...wrapping,
  meaning:
    "The key is right but the padding isn't: the service expects PKCS #1 v1.5 and can't decrypt it.",
};
const encoding = { calls: base64CallsOf('ciphertext'), section: '2.2' };
const generating = { calls: generateCalls, section: '2.2' };
const right = '{"code":"0000","message":"","result":{"enc_partner_key":"…"}}';

/** Every diagnosis code. */
export const catalogue: Readonly<Record<DiagnosisCode, CatalogueEntry>> = {
  /* Of a wrapped key: of its text (the encoding, or none at all), then of its bytes. */
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
  /* Of a per-user key: of its form, then of its secrecy. */
  'key-length': {
    ...generating,
    title: "The key doesn't have 32 characters",
    meaning:
      'The per-user key is a string of 32 characters; a service that checks this refuses any other length, and a cipher may truncate or refuse it.',
    recognised:
      'The characters (Unicode code points) of the decrypted key are counted. The message names the likely reason for the length: a UUID with dashes, a C string terminator, bytes counted as characters.',
    fix: 'Generate exactly 32 random characters: letters and digits, or 16 random bytes in hexadecimal, or 24 in Base64.',
    example: 'UUID.randomUUID().toString() has 36 characters; without its dashes it has 32.',
  },
  'key-hex-of-32-bytes': {
    ...generating,
    title: 'The key is 64 hexadecimal digits',
    meaning:
      'The key must be 32 characters, not 32 bytes: 32 bytes in hexadecimal are 64 characters.',
    recognised: 'The decrypted key is 64 hexadecimal digits.',
    fix: 'Generate 16 bytes instead of 32: in hexadecimal they are 32 characters.',
    example: "crypto.randomBytes(32).toString('hex') in Node, secrets.token_hex(32) in Python.",
  },
  'key-base64-of-32-bytes': {
    ...generating,
    title: 'The key is Base64 of 32 bytes',
    meaning:
      'The key must be 32 characters, not 32 bytes: 32 bytes in Base64 are 44 characters, or 43 without padding.',
    recognised: 'The decrypted key is 43 or 44 Base64 characters that decode to 32 bytes.',
    fix: 'Generate 24 bytes instead of 32, in Base64 exactly 32 characters, or 16 in hexadecimal.',
    example:
      'Base64.getEncoder().encodeToString(KeyGenerator.getInstance("AES").generateKey().getEncoded()) of an AES-256 key.',
  },
  'key-raw-bytes': {
    ...generating,
    title: 'The key is raw bytes instead of characters',
    meaning:
      "The per-user key is a string. Random bytes aren't valid text in any charset, so the two sides will read them differently.",
    recognised: "The decrypted key isn't UTF-8, or contains control characters.",
    fix: 'Generate 32 characters, for example 16 random bytes in hexadecimal, and wrap those characters.',
    example:
      'publicEncrypt(publicKey, crypto.randomBytes(32)), or KeyGenerator.generateKey().getEncoded() wrapped without encoding.',
  },
  'key-quoted': {
    title: 'The key has quotation marks around it',
    meaning:
      'The quotation marks were encrypted with the key and are now part of it: 34 characters on one side, 32 on the other.',
    recognised: "The decrypted key starts and ends with a quotation mark, or is Python's b'…'.",
    fix: 'Wrap the key itself, not its JSON or repr().',
    calls: {
      node: 'Buffer.from(userKey) // not Buffer.from(JSON.stringify(userKey))',
      python: 'user_key.encode()  # not repr(user_key).encode() or str(user_key_bytes)',
      java: 'userKey.getBytes(StandardCharsets.UTF_8) // not objectMapper.writeValueAsBytes(userKey)',
      kotlin: 'userKey.toByteArray() // not objectMapper.writeValueAsBytes(userKey)',
      php: '$userKey // not json_encode($userKey)',
      go: '[]byte(userKey) // not json.Marshal(userKey)',
      csharp: 'Encoding.UTF8.GetBytes(userKey) // not JsonSerializer.SerializeToUtf8Bytes(userKey)',
      ruby: 'user_key # not user_key.to_json',
    },
    example: 'JSON.stringify(userKey) before publicEncrypt.',
    section: '2.2',
  },
  'key-trailing-newline': {
    title: 'The key ends with a line break',
    meaning:
      'The line break was encrypted with the key and is now part of it: 33 characters instead of 32.',
    recognised: 'The decrypted key ends with LF, CR or CR LF.',
    fix: 'Strip the line break before wrapping and storing the key.',
    calls: {
      java: 'userKey.strip()',
      kotlin: 'userKey.trim()',
      node: 'userKey.trim()',
      python: 'user_key.strip()',
      php: 'trim($userKey)',
      go: 'strings.TrimSpace(userKey)',
      csharp: 'userKey.Trim()',
      ruby: 'user_key.chomp',
    },
    example:
      'echo "$KEY" | openssl pkeyutl -encrypt … wraps the line break too; printf %s "$KEY" does not.',
    section: '2.2',
  },
  'key-utf16': {
    title: 'The key was wrapped as UTF-16',
    meaning:
      'Each character takes two bytes, one of them zero: 64 bytes instead of 32, but the service expects UTF-8.',
    recognised:
      'Every second byte of the decrypted key is zero, or it starts with a UTF-16 byte order mark.',
    fix: 'Encode the key as UTF-8 before wrapping it.',
    calls: {
      java: 'userKey.getBytes(StandardCharsets.UTF_8)',
      kotlin: 'userKey.toByteArray(Charsets.UTF_8)',
      node: "Buffer.from(userKey, 'utf8') // not 'utf16le'",
      python: "user_key.encode('utf-8')",
      php: "$userKey // not mb_convert_encoding($userKey, 'UTF-16')",
      go: '[]byte(userKey)',
      csharp: 'Encoding.UTF8.GetBytes(userKey) // Encoding.Unicode is UTF-16',
      ruby: "user_key.encode('UTF-8')",
    },
    example: 'Encoding.Unicode.GetBytes(userKey) in .NET.',
    section: '2.2',
  },
  'key-constant': {
    ...generating,
    title: 'The key is a constant',
    meaning:
      'A key of one repeated character, or one key for all users, protects no one: anyone who has signed up once can decrypt all passcodes.',
    recognised: 'All characters are the same, or all users in the run got the same key.',
    fix: 'Generate a new random key for each user and each key exchange.',
    example: 'private static final String KEY = "…"; or "0".repeat(32) left over from a prototype.',
  },
  'key-from-user-code': {
    ...generating,
    title: 'The key is derived from the user code or the client id',
    meaning:
      "ptn_cd and client_id are not secrets. A key derived from them isn't one either, whatever hash is used.",
    recognised:
      'The key is compared with the codes themselves (also reversed, repeated, padded, truncated) and with their MD5, SHA-1, SHA-256, SHA-384, SHA-512, HMAC and name-based UUID, in hexadecimal and Base64.',
    fix: "Generate a random key and store it with the user; don't derive it.",
    example: 'DigestUtils.md5Hex(ptnCd) has 32 characters and looks random.',
  },
  'key-predictable': {
    ...generating,
    title: 'The key is derived from the time, a counter or another key',
    meaning:
      'Anyone who knows roughly when the key was generated, or has another key, can guess it.',
    recognised:
      "It contains the current time in seconds or milliseconds, a date, a current version 1 UUID or a hash of the time, alone or with the user code; or 20 of its 32 characters match another user's key at the same positions.",
    fix: "Generate the whole key with the system's secure random generator.",
    example:
      'md5(time()), uniqid(), UUID version 1 without its dashes, a prefix and an incrementing number.',
  },
  'key-low-entropy': {
    ...generating,
    title: 'The key is not a random string',
    meaning:
      'It has a pattern: few distinct characters, a sequence, a repeated word. Attackers try such keys first.',
    recognised:
      'A statistic that a random string over ten or more symbols reaches less than once in a million: the message names it.',
    fix: "Generate all 32 characters with the system's secure random generator.",
    example: 'abcdefghijklmnopqrstuvwxyz123456, or a short number padded with zeros.',
  },
  'key-repeated': {
    title: 'A key was reused',
    meaning: 'Each user gets their own key, and each key exchange a new one (4.1.1 rule 1).',
    recognised: 'The decrypted keys in the run are compared with each other.',
    fix: 'Generate a new key on every key exchange, and store it under that ptn_cd.',
    calls: generateCalls,
    example:
      "computeIfAbsent(ptnCd, …) returns the user's old key again; a generator seeded with a constant returns the same key for everyone.",
    section: '4.1.1',
  },
  'key-leaked': {
    title: 'The plain key is in the response',
    meaning:
      "The key may only be sent RSA-encrypted (4.1.1 rule 2), and no response of the service contains secret_key or a plain passcode. Anyone who can read the response, a log or a proxy's traffic has it.",
    recognised:
      'Every response and its headers are searched for the decrypted key: as is, reversed, in hexadecimal and in Base64 at any offset.',
    fix: 'Remove it from the response: check for a debug field, an entity serialised with all its fields, or an error message. The key is compromised: generate a new one.',
    calls: {
      java: '@JsonIgnore private String userKey;',
      kotlin: '@JsonIgnore val userKey: String',
      node: 'res.json({ code, message, result: { enc_partner_key: wrapped } }) // not the whole user',
      python: 'return {"enc_partner_key": wrapped}  # not user.__dict__',
      php: "protected $hidden = ['user_key'];",
      go: 'UserKey string `json:"-"`',
      csharp: '[JsonIgnore] public string UserKey { get; set; }',
      ruby: 'user.as_json(except: :user_key)',
    },
    example: '"result": {"enc_partner_key": "…", "key": "…"}',
    section: '4.1.1',
  },
  /* Of a response: of its body, of its fields, and of several responses. */
  'not-json': {
    title: 'The response is not a JSON object',
    meaning: 'A JSON parser stops here, so neither code nor result can be read.',
    recognised:
      'The body is parsed as UTF-8 JSON (RFC 8259). The message names the first error, and what the body seems to be instead: UTF-16, compressed, XML, form encoding, an array, JSON inside a JSON string, or JSON with text before or after it. An object that repeats a field of the interface counts as invalid, too (RFC 8259 section 4): parsers differ in which one they use.',
    fix: "Build an object, let your framework's JSON library serialise it once as UTF-8, and write nothing else to the response.",
    calls: responseCalls,
    example: `In Flask, return str({"code": "0000"}) sends {'code': '0000'}: Python's notation, not JSON.`,
    section: '4.1',
  },
  'byte-order-mark': {
    title: 'The JSON begins with a byte order mark',
    meaning:
      'RFC 8259 section 8.1 forbids the mark, and many parsers (JSON.parse, json.loads, Go) reject a body that has it.',
    recognised: 'The first three bytes of the body are EF BB BF.',
    fix: 'Write UTF-8 without the mark. In PHP it often comes from a source file, before <?php.',
    calls: {
      java: 'response.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8))',
      php: 'save the source files as UTF-8 without BOM',
      csharp: 'new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false))',
      python: "json.dumps(answer).encode('utf-8')  # not 'utf-8-sig'",
    },
    example:
      'In .NET, a StreamWriter with Encoding.UTF8 writes EF BB BF before the first character.',
    section: '4.1',
  },
  'html-instead-of-json': {
    title: 'The response is an HTML page',
    meaning:
      'Something other than the callback handler responded: an error page, a login page, a start page or a proxy.',
    recognised:
      'The body starts like HTML (or, for the Content-Type check, the header is text/html). The message shows its title and the HTTP status, which usually reveal what sent it.',
    fix: 'Start from the status: for 404 check the route, for 401 and 403 login and CSRF protection, for 500 the log, for 502 to 504 the proxy. With 200, the URL serves a page: use the callback URL.',
    calls: {
      ...exemptCalls,
      node: "app.post('/callback', handler) // before the fallback that serves index.html",
      php: "ini_set('display_errors', '0');",
    },
    example:
      '<html><head><title>502 Bad Gateway</title>… with status 502: nginx responded, not the application.',
    section: '4.1',
  },
  'empty-body': {
    title: 'The response has no body',
    meaning: 'Only a status was sent, without code and result.',
    recognised: 'The body is empty, or only white space.',
    fix: 'Send the JSON object on every path through the handler, including after an exception.',
    calls: responseCalls,
    example:
      'In Express, res.sendStatus(204), or a handler that ends with res.end() before res.json(…).',
    section: '4.1',
  },
  redirect: {
    title: 'The response is a redirect',
    meaning:
      'Redirects are not followed: a client that does would turn the POST into a GET, and send secrets to a URL that was not registered.',
    recognised: 'The HTTP status is 301, 302, 303, 307 or 308; the message names the target.',
    fix: 'Register the URL that responds directly: https instead of http, with or without the trailing slash. Exclude the path from login redirects.',
    calls: {
      java: 'http.authorizeHttpRequests(a -> a.requestMatchers("/callback").permitAll()) // before anyRequest()',
      python:
        '@app.post("/callback")  # as the URL is, without a slash; Django: path("callback", callback)',
      csharp: 'app.MapPost("/callback", Handle).AllowAnonymous()',
    },
    example:
      'POST http://app.example.com/callback returns 301 to https://app.example.com/callback.',
    section: '4.1',
  },
  'body-too-large': {
    title: 'The response is larger than the limit',
    meaning:
      'A response of this interface is a few hundred bytes long; reading this one was aborted.',
    recognised:
      'Content-Length, or the number of bytes received (after decompression), exceeds the limit, 1 MiB by default.',
    fix: 'Send only the fields of the interface. Check the response for a stack trace, a log or a whole record.',
    calls: responseCalls,
    example:
      'The serialiser follows references from the user to orders and on to other users, and sends megabytes.',
    section: '8',
  },
  'code-not-success': {
    title: 'The response refuses: its code is not "0000"',
    meaning:
      'Only the string "0000" means success; any other code is a refusal, and its result is ignored.',
    recognised:
      'code is a string other than "0000"; the diagnosis contains both the code and the message.',
    fix: 'Read the message, and the log of the server that sent it. If the request succeeded, send "0000", not "0", "200" or "OK".',
    calls: responseCalls,
    example: '{"code":"200","message":"success"} is a refusal.',
    section: '7',
  },
  'code-not-string': {
    title: 'code is not a string',
    meaning:
      "code must be a string. As a number, 0000 becomes 0 or invalid JSON: numbers can't have leading zeros.",
    recognised: 'code is a number, null, a boolean or an object.',
    fix: 'Make code a string everywhere, including in the serialiser.',
    calls: {
      java: 'private String code = "0000"; // not int',
      kotlin: 'val code: String = "0000"',
      node: "code: '0000'",
      python: 'code="0000"',
      php: "'code' => '0000' // and no JSON_NUMERIC_CHECK",
      go: 'Code string `json:"code"`',
      csharp: 'public string Code { get; set; } = "0000";',
      ruby: "code: '0000'",
    },
    example:
      '{"code": 0, "message": ""}; PHP writes it with json_encode($answer, JSON_NUMERIC_CHECK).',
    section: '2.1',
  },
  'message-missing': {
    title: 'The response has no message',
    meaning: 'Every response contains code and message; the message may be empty, but not missing.',
    recognised:
      'The JSON object has no field message; a field with a similar name, such as msg, is named.',
    fix: 'Send "message": "" on success, and the reason when refusing.',
    calls: responseCalls,
    example:
      '{"code":"0000","result":{…}}; also @JsonInclude(NON_EMPTY), which drops an empty message.',
    section: '7',
  },
  'result-missing': {
    title: 'The response has no result',
    meaning: 'With code "0000", result is required.',
    recognised: "result is absent or null, and its fields aren't anywhere else in the response.",
    fix: 'Put the fields of the response into an object named result.',
    calls: responseCalls,
    example: `{"code":"0000","message":""} to a key exchange; correct: ${right}.`,
    section: '4.1.1',
  },
  'field-missing': {
    title: 'A field is missing from the response',
    meaning:
      "The interface requires the field, but it isn't in the response, not even at another level.",
    recognised: 'The message names the missing field and the fields that are present.',
    fix: 'Send the field. If your code sets it, check whether it is null and the serialiser omits nulls, or whether the property lacks a getter.',
    calls: responseCalls,
    example: 'A Java class without getters and without @JsonProperty serialises to {}.',
    section: '4',
  },
  'field-type': {
    title: 'A field has the wrong type',
    meaning: 'Fields must be strings, and result an object; a strict parser refuses anything else.',
    recognised:
      'The field is present but has another JSON type; a string that contains JSON is reported as such.',
    fix: 'Send strings in quotation marks, bytes as Base64 and objects as objects; serialise once, at the end.',
    calls: {
      ...base64CallsOf('wrapped'),
      node: 'wrapped.toString(\'base64\') // a Buffer alone becomes {"type":"Buffer","data":[…]}',
    },
    example:
      '"result": "{\\"enc_partner_key\\":\\"…\\"}": the inner object was serialised to a string first.',
    section: '2.1',
  },
  'field-misplaced': {
    title: 'A field has the wrong name or is at the wrong level',
    meaning:
      "The value is in the response, but the receiver can't find it: field names are exact, and result is a separate object.",
    recognised:
      'The field is missing where it belongs, and the same or a similar name (case, underscores, a letter or two) occurs elsewhere; the message shows where.',
    fix: 'Use the exact field names of the interface in the JSON, whatever your code calls them, and put them at the right level.',
    calls: nameCalls,
    example: `{"code":"0000","message":"","encPartnerKey":"…"}; correct: ${right}.`,
    section: '4.1.1',
  },
  'field-malformed': {
    title: 'A field has an invalid value',
    meaning:
      "The type is right, but the content isn't: a date that doesn't exist, text that isn't Base64, an empty string.",
    recognised:
      'expire_dt must be 14 digits: a valid calendar date and a time from 00:00:00 to 23:59:59; ptn_sp must be Base64 or hexadecimal; acs_token and ptn_cd must not be empty.',
    fix: 'Format dates as yyyyMMddHHmmss (HH, not hh), and encode ciphertext in Base64.',
    calls: {
      java: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      kotlin: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      node: "when.toISOString().replace(/\\D/g, '').slice(0, 14)",
      python: 'when.strftime("%Y%m%d%H%M%S")',
      php: "date('YmdHis', $when)",
      go: 'when.Format("20060102150405")',
      csharp: 'when.ToString("yyyyMMddHHmmss", CultureInfo.InvariantCulture)',
      ruby: "expires_at.strftime('%Y%m%d%H%M%S')",
    },
    example:
      '"expire_dt": "2026-07-01T12:00:00"; or hour 24, which the pattern kk gives at midnight.',
    section: '2.1',
  },
  'passcode-mismatch': {
    title: "The passcode doesn't match the stored one",
    meaning:
      "ptn_sp decrypts with the user's key, but to a different Super Passcode than partner_sp at registration: the sign-in must be refused.",
    recognised: 'Both are decrypted and compared byte by byte, in constant time.',
    fix: "Check whether the user has registered again since, whether partner_sp was stored decrypted and in full (column length, charset, trimmed spaces), and whether you read this user's row.",
    calls: comparesPasscode,
    example: 'The passcode was stored in a column of 16 characters and truncated.',
    section: '4.2.2',
  },
  'other-user': {
    title: 'The response is about another user',
    meaning: 'The service returned a different ptn_cd than the user who is signing in.',
    recognised: 'result.ptn_cd in the token response differs from the requested user.',
    fix: 'Sign in the user that the service returns, never the one that the browser names. Check whether a ptn_token from an earlier sign-in was reused.',
    example: 'The page of user A sends the ptn_token that user B left in local storage.',
    section: '4.2.1',
  },
  'accepted-bad-input': {
    title: 'A wrong request was answered with success',
    meaning:
      'The request couldn\'t be carried out, but the response was "0000": the caller believes that it succeeded.',
    recognised:
      'The unmodified request is accepted in the same run; with one malformed field it must be refused with another code.',
    fix: 'Validate each field before storing anything, and respond with your own code and a message that names the field.',
    calls: refuseCallsOf('ptn_cd'),
    example: 'A handler that catches every exception and then responds {"code":"0000"}.',
    section: '4.1',
  },
  'accepted-bad-answer': {
    title: 'A user was signed in although the service did not confirm it',
    meaning:
      'The service responded with a code other than "0000", sent something that isn\'t a valid response, or didn\'t respond, but the application signed the user in: anyone who can disrupt the connection can sign in.',
    recognised:
      'The emulated service deliberately sends a wrong response to one sign-in; the application must refuse it. It accepted a correct one in the same run.',
    fix: 'Sign in only where code is the string "0000", every field of result is present, and ptn_sp decrypts to the stored passcode. Refuse by default: on every exception, missing field or other code.',
    calls: comparesCode,
    example: 'if (answer.result) signIn(): a refusal with a result is taken for success.',
    section: '4.2.2',
  },
  'goes-on-after-failure': {
    title: 'The sign-in went on after a token request that failed',
    meaning:
      'The token request was refused or got no valid response, but the application sent an authenticate request all the same, with secret_key and an acs_token that was not issued to this sign-in. No user was signed in by it.',
    recognised: 'The emulated service fails a token request; an authenticate request follows.',
    fix: 'End the sign-in when the token request fails: without an acs_token there is nothing to authenticate with, and secret_key is not sent without need.',
    calls: comparesCode,
    example: 'A catch that only logs, and an authenticate request behind it.',
    section: '4.2.1',
  },
  'shared-state': {
    title: 'Users are mixed up with one another',
    meaning:
      "Data of one user is used for another: a passcode can be decrypted with another user's key, or overwritten.",
    recognised:
      'Sign-ups that are interleaved or simultaneous, or whose user codes differ only in case or in non-ASCII characters, affect each other.',
    fix: 'Store the key under the full ptn_cd, compared exactly, not in a field of the handler, a session or a global variable.',
    calls: storeCalls,
    example:
      'private String userKey; in a Spring @RestController, a singleton shared by all requests.',
    section: '4.1.1',
  },
  'stale-key': {
    title: 'An older key of the user is still in use',
    meaning:
      "After a second key exchange only the new key is valid; the application can't decrypt payloads encrypted with it.",
    recognised:
      'One user exchanges two keys; a registration with the second is refused, or one with the first is accepted.',
    fix: 'Replace the stored key on each key exchange, before sending the response, and invalidate cached copies.',
    calls: storeCalls,
    example: 'INSERT … ON CONFLICT DO NOTHING keeps the first key and returns the second.',
    section: '4.1.1',
  },
  'never-decrypts': {
    title: 'The passcode is accepted without being decrypted',
    meaning:
      'Every partner_sp gets the response "0000". The sign-in, which has to decrypt and compare it, will fail, or never compare it.',
    recognised:
      'A partner_sp that can\'t decrypt with the stored key (bad padding or tag) gets the response "0000", and so does a correct one.',
    fix: "Decrypt partner_sp in the registration callback with the key of that ptn_cd, store the result, and refuse what can't be decrypted.",
    calls: {
      java: 'catch (BadPaddingException e) { return Map.of("code", "1002", "message", "partner_sp can\'t be decrypted"); }',
      node: "catch { return res.json({ code: '1002', message: 'partner_sp can\\'t be decrypted' }) }",
      python:
        'except ValueError: return jsonify(code="1002", message="partner_sp can\'t be decrypted")',
      php: "if (openssl_decrypt($data, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, $iv) === false) { refuse('1002'); }",
      csharp:
        'catch (CryptographicException) { return Results.Json(new { code = "1002", message = "…" }); }',
      ruby: 'rescue OpenSSL::Cipher::CipherError',
    },
    example: 'The callback stores partner_sp as received and never decrypts it.',
    section: '4.1.2',
  },
  /* Of an encrypted payload. */
  'cipher-mismatch': {
    title: 'The payload was encrypted with a different cipher than expected',
    meaning:
      'The interface leaves the cipher of partner_sp, ubifill and ptn_sp open, so both sides have to agree on the algorithm, how the key is read, IV, padding, encoding and tag. At least one of these differs.',
    recognised:
      "The payload doesn't decrypt with the expected cipher, but does with another one: its padding, tag or text can't be a coincidence.",
    fix: 'Set the cipher that was found, or change the other side to use the expected one. The message names the parts that differ.',
    calls: decryptionCalls(defaultCipher),
    example:
      'Expected: a random IV in front of the ciphertext. The application uses the first 16 characters of the key as IV: aes-256-cbc with iv=key-head.',
    section: '2.3',
  },
  'bad-padding': {
    title: "The decrypted text doesn't end in the cipher's padding",
    meaning:
      "Decryption ran, but the last block doesn't have valid padding. With the right key and cipher that can't happen, so one of them is wrong, or the ciphertext was changed.",
    recognised:
      "The last block is decrypted without removing the padding: the count in its last byte is out of range, or the bytes before it don't match. No other cipher gives readable text either.",
    fix: 'Check that the key belongs to this user and the latest key exchange, and that the ciphertext is complete. Garbage passes as valid padding about once in 256 times, so a single success proves nothing.',
    calls: decryptionCalls(defaultCipher),
    example:
      'The last byte is 0x3f, not a count from 1 to 16: the key of another user. "ends in 5 NUL bytes": mcrypt or AES/CBC/NoPadding filled the block with zeros, padding=zero.',
    section: '2.3',
  },
  'bad-tag': {
    title: "The GCM authentication tag doesn't match",
    meaning:
      'GCM proves that nothing was changed. It fails if the key, the IV, the position of the tag or the additional data differ, or if a single bit of the ciphertext changed.',
    recognised:
      "The 16-byte tag doesn't match in either of its usual positions, with IVs of 12 or 16 bytes, however the key is read.",
    fix: 'Check the key first. Then check where your stack puts the tag (Java, Go and Python append it, Node and PHP return it separately), how long the IV is, and that no additional data is passed.',
    calls: decryptionCalls(parseCipher('aes-256-gcm')),
    example:
      'Node: Buffer.concat([iv, encrypted]) without getAuthTag(): the last 16 bytes of the ciphertext are taken for the tag.',
    section: '2.3',
  },
  'wrong-key': {
    title: 'The payload was encrypted with another key',
    meaning:
      "The payload wasn't encrypted with the per-user key that is known here. Every user has their own key, and every key exchange replaces it.",
    recognised:
      "No cipher gives text with this key. The expected cipher does with another known key (from an earlier exchange, or another user's) or another form of this one (with a line break, in quotation marks, in a different case).",
    fix: 'Store one key per ptn_cd, overwrite it on each key exchange, and store exactly the 32 characters: no line break, no quotation marks, no change of case.',
    example:
      "Two concurrent sign-ups share one variable for the key: the first user's passcode is encrypted with the second user's key.",
    section: '4.1.1',
  },
  'payload-encoding': {
    title: 'The text of the payload is not in the expected encoding',
    meaning:
      'The text has to be decoded to bytes before it can be decrypted. It is in another encoding, was changed on the way, was truncated, or was never encrypted.',
    recognised:
      'A character outside the encoding\'s alphabet, a length that no ciphertext has, or a text that decodes once quotation marks, URL encoding, spaces in place of "+" or a second layer of Base64 are removed.',
    fix: 'Concatenate the bytes of IV, ciphertext and tag, encode them once in the agreed encoding, and put the result into the JSON unchanged.',
    calls: base64CallsOf('raw'),
    example:
      'CryptoJS: toString() of a CipherParams returns Base64, but toString() of its ciphertext returns hexadecimal.',
    section: '2.3',
  },
  /* Of a connection. */
  dns: {
    title: 'The host name does not resolve',
    meaning:
      'The request never left this machine: its resolver found no address for the host name.',
    recognised:
      'The DNS lookup returns no address (ENOTFOUND), or no name server responds (EAI_AGAIN).',
    fix: 'Check the spelling of the URL. Container and VPN host names only resolve inside their network: run authcli there, or use the public address.',
    example: 'https://app.exmaple.com/callback: no such domain.',
  },
  refused: {
    title: 'Connection refused',
    meaning: 'The host name resolves, but nothing accepts connections on that port.',
    recognised: 'The operating system reports ECONNREFUSED, or no route to the host.',
    fix: 'Start the server, check the port, and bind to an address reachable from here (in a container 0.0.0.0, not 127.0.0.1).',
    example: 'The application listens on port 3000, but the URL has 8080.',
  },
  'tls-untrusted': {
    title: 'The certificate is not trusted',
    meaning:
      "The certificate chain doesn't lead to a CA that this machine trusts. The service would refuse it, too.",
    recognised:
      "OpenSSL rejects the chain: self-signed, an unknown root, or an intermediate certificate that the server doesn't send.",
    fix: 'Make the server send the full chain (fullchain.pem, not cert.pem). For a private CA, name its certificate with --ca FILE, or in NODE_EXTRA_CA_CERTS.',
    example:
      'nginx with "ssl_certificate cert.pem": browsers fetch the missing intermediate, servers don\'t.',
  },
  'tls-expired': {
    title: 'The certificate has expired, or is not valid yet',
    meaning: 'A certificate in the chain is used outside its validity period.',
    recognised:
      "The certificates' dates (RFC 5280 4.1.2.5) are compared with this machine's clock.",
    fix: 'Renew the certificate and reload the server; if the dates look right, check the clocks.',
    example: "The certificate was renewed on disk, but the server wasn't reloaded.",
  },
  'tls-hostname': {
    title: 'The certificate is for a different host name',
    meaning: "The certificate is valid, but doesn't cover the host in the URL.",
    recognised: 'No name in subjectAltName matches the host (RFC 9525 6).',
    fix: 'Use a host name that the certificate covers, or get a certificate for the host in the URL.',
    example: 'https://10.0.0.5/ with a certificate for app.example.com.',
  },
  'tls-version': {
    title: 'The server supports only old TLS versions',
    meaning:
      'The other side speaks TLS, but neither TLS 1.2 nor TLS 1.3. TLS 1.0 and 1.1 are deprecated (RFC 8996), and current clients refuse them.',
    recognised:
      'The server sends the TLS alert protocol_version, or chooses a version that was not offered.',
    fix: 'Allow TLS 1.2 and 1.3 in the server, its framework or the load balancer in front of it; on an old system, update the TLS library.',
    example: 'nginx with "ssl_protocols TLSv1 TLSv1.1;".',
  },
  timeout: {
    title: 'No complete response in time',
    meaning: 'The time limit, from the DNS lookup to the last byte of the response, was exceeded.',
    recognised:
      'The message names what timed out: DNS, connection, TLS, the response, or the rest of its body.',
    fix: 'If the connection times out, check for a firewall. If the response times out, check what the handler is waiting for: a database, a lock, an await that never settles. Raise the limit only if the work needs it.',
    example: "A handler that never ends the response: res.json(…) isn't called.",
  },
  reset: {
    title: 'The connection was closed early',
    meaning: 'The other side closed the connection before the response was complete.',
    recognised:
      'The connection ends (FIN or RST) before the response headers, or before as many bytes as Content-Length announces.',
    fix: 'Check for a crash, a killed worker or a proxy with a shorter timeout. If the body is truncated, let the framework set Content-Length: it counts bytes, not characters.',
    example: 'Content-Length set to the length of a string that contains non-ASCII characters.',
  },
  'protocol-error': {
    title: 'The other side does not speak the expected protocol',
    meaning:
      "The other side, or a proxy in between, doesn't speak the protocol in the URL, or refuses the connection.",
    recognised:
      'Bytes that are not HTTP/1.1, a TLS alert, plain HTTP on a TLS port or the reverse, or a proxy that refuses (status 407 and others).',
    fix: 'Check the scheme and port in the URL first. If a proxy asks for credentials, or the server for a client certificate, configure them.',
    example: 'https://localhost:8080/, but the server speaks plain HTTP.',
  },
};
