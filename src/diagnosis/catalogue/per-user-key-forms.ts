import type { CataloguePart } from '../catalogue-entry.ts';
import { generateCalls } from '../wrap-calls.ts';

/** What is known of per-user keys whose form is wrong. */
export const keyFormCatalogue: CataloguePart<
  | 'key-length'
  | 'key-hex-of-32-bytes'
  | 'key-base64-of-32-bytes'
  | 'key-raw-bytes'
  | 'key-quoted'
  | 'key-trailing-newline'
  | 'key-utf16'
> = {
  'key-length': {
    title: 'The key has not 32 characters',
    meaning:
      'The interface has the per-user key as a string of 32 characters; a service that checks refuses any other, and a cipher may cut or refuse it.',
    recognised:
      'The characters (Unicode code points) of what stands in the wrap are counted. The message says where the length may come from: a UUID with dashes, a zero byte of C, bytes taken for characters.',
    mend: 'Draw exactly 32 random characters: letters and digits, or 16 random bytes in hexadecimal, or 24 in Base64.',
    calls: generateCalls,
    example: 'UUID.randomUUID().toString() has 36 characters; without its dashes it has 32.',
    section: '2.2',
  },
  'key-hex-of-32-bytes': {
    title: 'The key is 64 hexadecimal digits',
    meaning:
      '32 characters are wanted, not 32 bytes: written in hexadecimal, 32 bytes are 64 characters.',
    recognised: 'What stands in the wrap is 64 hexadecimal digits.',
    mend: 'Draw 16 bytes instead of 32: in hexadecimal they are 32 characters.',
    calls: generateCalls,
    example: "crypto.randomBytes(32).toString('hex') in Node, secrets.token_hex(32) in Python.",
    section: '2.2',
  },
  'key-base64-of-32-bytes': {
    title: 'The key is Base64 of 32 bytes',
    meaning:
      '32 characters are wanted, not 32 bytes: in Base64, 32 bytes are 44 characters, or 43 without padding.',
    recognised: 'What stands in the wrap is 43 or 44 Base64 digits that decode to 32 bytes.',
    mend: 'Draw 24 bytes instead of 32: in Base64 they are exactly 32 characters.',
    calls: {
      ...generateCalls,
      java: 'byte[] b = new byte[24]; new SecureRandom().nextBytes(b); Base64.getEncoder().encodeToString(b)',
      node: "crypto.randomBytes(24).toString('base64')",
      csharp: 'Convert.ToBase64String(RandomNumberGenerator.GetBytes(24))',
    },
    example:
      'Base64.getEncoder().encodeToString(KeyGenerator.getInstance("AES").generateKey().getEncoded()) of an AES-256 key.',
    section: '2.2',
  },
  'key-raw-bytes': {
    title: 'The key is raw bytes instead of characters',
    meaning:
      'The interface has a string. Random bytes are no text in any charset: each side will make something else of them.',
    recognised: 'What stands in the wrap is no UTF-8, or has control characters in it.',
    mend: 'Draw characters, or write 16 random bytes in hexadecimal, and wrap the characters.',
    calls: generateCalls,
    example:
      'publicEncrypt(publicKey, crypto.randomBytes(32)), or KeyGenerator.generateKey().getEncoded() wrapped as it is.',
    section: '2.2',
  },
  'key-quoted': {
    title: 'The key has quotation marks around it',
    meaning:
      'The marks were wrapped with the key and are part of it now: 34 characters on one side, 32 on the other.',
    recognised: "Quotation marks, or Python's b'…', stand at both ends of what was wrapped.",
    mend: 'Wrap the characters of the key, not their JSON or their representation.',
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
      'The line break was wrapped with the key and is part of it now: 33 characters instead of 32.',
    recognised: 'What was wrapped ends with LF, CR or CR LF.',
    mend: 'Take the line break off before the key is wrapped and before it is stored.',
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
      'Each character is two bytes, one of them zero: 64 bytes instead of 32, and the other side reads UTF-8.',
    recognised:
      'Every second byte of what was wrapped is zero, or a UTF-16 byte order mark stands in front.',
    mend: 'Encode the key as UTF-8 before it is wrapped.',
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
};
