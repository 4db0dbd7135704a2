import type { perUserKeyCodes } from '../../errors.ts';
import type { CataloguePart } from '../diagnosis.ts';
import { generateCalls } from './calls.ts';

const generating = { calls: generateCalls, section: '2.2' };

/** The codes of a per-user key: of its form, then of its secrecy. */
export const perUserKeyCatalogue: CataloguePart<(typeof perUserKeyCodes)[number]> = {
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
};
