import type { Calls, DiagnosisCode } from '../errors.ts';
import {
  bodyCalls,
  keyBytesCalls,
  publicKeyCalls,
  storeCalls,
  wrapCalls,
} from './catalogue/calls.ts';
import { catalogue } from './catalogue.ts';

export type CallbackStep = 'key-exchange' | 'registration';

/** A cause, as a sentence. */
interface Cause {
  readonly cause: string;
  /** The only callback that can have it. */
  readonly step?: CallbackStep;
  /** What an error text names that has it, by callback. */
  readonly names?: Readonly<Partial<Record<CallbackStep, RegExp>>>;
  /** How to fix it, and the calls, where those of the situation are for another cause. */
  readonly fix?: string;
  readonly calls?: Calls;
}

export interface LikelyCause extends Cause {
  /** The command that confirms or excludes it. */
  readonly test: Test;
}

/** What a library's error means when a callback of this interface fails with it. */
export interface ErrorSituation {
  /** In one line, without a full stop. */
  readonly title: string;
  /** What happened in this interface, in one or two sentences. */
  readonly meaning: string;
  /** Three, the likeliest first, by the command that tells each from the others. */
  readonly causes: Readonly<Record<string, string | Cause>>;
  readonly fix: string;
  readonly calls?: Calls;
  /** For a registration the calls are those that decrypt under its cipher, from bytes or from text. */
  readonly decryption?: 'of-bytes' | 'of-text';
  /** The diagnosis of a registration that fails like this; by default that of its response. */
  readonly code?: DiagnosisCode;
  readonly section: string;
}

const cipherNameCalls: Calls = {
  java: 'Cipher.getInstance("AES/CBC/PKCS5Padding") // Java names PKCS #7 so',
  kotlin: 'Cipher.getInstance("AES/CBC/PKCS5Padding") // Java names PKCS #7 so',
  node: "crypto.createDecipheriv('aes-256-cbc', key, iv)",
  python: 'Cipher(algorithms.AES(key), modes.CBC(iv))',
  php: "openssl_decrypt($data, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, $iv)",
  go: 'block, err := aes.NewCipher([]byte(key)); cipher.NewCBCDecrypter(block, iv)',
  csharp: 'using Aes aes = Aes.Create(); // CBC and PKCS #7 are its defaults',
  ruby: "OpenSSL::Cipher.new('aes-256-cbc')",
};

/** The fields that a callback has, as code may spell them; whole words, as findByPtnCd is a look-up. */
const ownFields = {
  'key-exchange': /\b(?:client_?id|used_?type|ptn_?cd|public_?key)\b/i,
  registration: /\b(?:client_?id|used_?type|ptn_?cd|partner_?sp)\b/i,
} as const;
const readBody = /\b(?:client_?id|used_?type|ptn_?cd|public_?key|partner_?sp|body)\b/i;
const onBoth = (names: RegExp) => ({ 'key-exchange': names, registration: names });
const userInfoField = { registration: /ubi_?fill/i } as const;

const otherCipher =
  "It decrypts with another cipher, mode, IV or reading of the key than the payload's.";
const olderKey = 'It uses an older key: it did not replace the key at the latest key exchange.';
const changedKey =
  'The stored key is not the key that was sent: cut, lower-cased, trimmed or re-encoded.';
const otherEncoding =
  'The application expects another encoding: base64url or hexadecimal instead of Base64.';
const lostUser = {
  cause: 'The key was never stored under this ptn_cd, or in memory of another process.',
  step: 'registration',
} as const;
const optionalUserInfo =
  'The application reads ubifill differently: its format, its fields, or a field left out.';

/** Of a text that failed to decrypt, as its diagnosis of a registration; the calls decrypt its bytes. */
function decrypted<Code extends DiagnosisCode>(code: Code) {
  return { decryption: 'of-bytes', code, section: '2.3' } as const;
}
const decoded = { decryption: 'of-text', code: 'payload-encoding', section: '2.3' } as const;

/** By id; the table of error texts names them. */
export const errorSituations = {
  'padding-refused': {
    title: 'The decrypted bytes do not end in the padding of the cipher',
    meaning:
      'The application decrypted partner_sp or ubifill, and the last block is not PKCS #7 padding. With the right key and cipher that cannot happen.',
    causes: { probe: otherCipher, 'latest-key': olderKey, 'stored-key': changedKey },
    fix: 'Decrypt with the cipher that the service specifies: algorithm, mode, IV, key bytes and padding must all match.',
    ...decrypted('bad-padding'),
  },
  'block-length': {
    title: 'The ciphertext is not a whole number of blocks',
    meaning:
      'A block cipher decrypts 16 bytes at a time; what reached it has another length, so bytes are missing or the text was decoded wrongly.',
    causes: {
      probe: 'The text was not decoded, or by another encoding: Base64 must become bytes first.',
      gcm: 'The payload is of a mode without blocks (GCM, CTR, CFB), or the IV was cut at another length.',
      trace: 'The payload was changed on its way: "+" became a space, or a column cut it.',
    },
    fix: 'Decode the text of the payload to bytes once, before taking the IV from them and decrypting the rest.',
    ...decoded,
  },
  'tag-refused': {
    title: 'The authentication tag does not match',
    meaning:
      'The application decrypts with an authenticated cipher (GCM), and its tag does not verify: key, IV, tag position or ciphertext differ from what was sent.',
    causes: {
      gcm: 'The payload is not GCM: authcli sends the configured cipher, by default aes-256-cbc.',
      'stored-key': changedKey,
      probe: 'IV length or tag position differ: 12 or 16 bytes, tag at the end or after the IV.',
    },
    fix: 'Decrypt with the cipher that the service specifies. If that is GCM, IV length and tag position must match, and no additional data is used.',
    ...decrypted('bad-tag'),
  },
  'tag-missing': {
    title: 'The authentication tag is missing or has the wrong length',
    meaning:
      'The application decrypts with GCM, and the payload leaves no 16 bytes for the tag, or the code does not pass them on.',
    causes: {
      probe: 'The code does not cut the tag from the payload and pass it to the library.',
      gcm: 'The payload is not GCM: authcli sends the configured cipher, by default aes-256-cbc.',
      trace: 'The text was decoded by another encoding, so that too few bytes were left.',
    },
    fix: 'Decrypt with the mode that the service specifies. If that is GCM, cut the tag of 16 bytes from the payload and pass it to the library.',
    ...decrypted('bad-tag'),
  },
  'key-bytes': {
    title: 'The key has the wrong number of bytes',
    meaning:
      'The per-user key is 32 characters. As bytes they are exactly an AES-256 key; here the library was given another length.',
    causes: {
      probe: 'The key was decoded: from hexadecimal 16 bytes remain, from Base64 24.',
      'stored-key':
        'The stored key has more or fewer characters: a line end, quotes, a short column.',
      'key-exchange': 'Another value is used as the key: the encrypted key, or an empty default.',
    },
    fix: 'Derive the key bytes as the cipher specifies: by default the UTF-8 bytes of its 32 characters, without decoding.',
    decryption: 'of-bytes',
    code: 'wrong-key',
    section: '2.2',
  },
  'iv-bytes': {
    title: 'The IV has the wrong number of bytes',
    meaning:
      'The library was given an IV of a length that the cipher does not have: AES has 16 bytes (GCM usually 12).',
    causes: {
      probe: 'The IV is taken from the Base64 text, or from the whole key (32 characters).',
      trace: 'The payload was decoded wrongly, so that too few bytes are left for an IV.',
      gcm: 'The application expects GCM (12 bytes) and was sent CBC (16 bytes), or the reverse.',
    },
    fix: 'Decode the payload to bytes first, then take the IV from where the cipher has it.',
    ...decrypted('cipher-mismatch'),
  },
  'iv-missing': {
    title: 'The cipher needs an IV and was given none',
    meaning:
      'CBC, CTR, CFB and GCM need an IV. By default it is in the first 16 bytes of the payload.',
    causes: {
      probe: 'The code decrypts the whole payload without an IV, as for ECB.',
      trace: 'The IV is read from a setting that is not set.',
      'dry-run': 'The payload was empty, so that no IV could be taken from it.',
    },
    fix: 'Take the IV from the front of the decoded payload, and decrypt the rest.',
    ...decrypted('cipher-mismatch'),
  },
  'iv-unwanted': {
    title: 'An IV or a tag was given to a cipher that takes none',
    meaning:
      'ECB takes no IV, and only authenticated modes take a tag: the mode is not the intended one.',
    causes: {
      probe: 'The cipher name specifies ECB instead of CBC.',
      gcm: 'The code was written for GCM and runs with CBC.',
      trace: 'The cipher comes from a setting that has another value here.',
    },
    fix: 'Name the mode that the service specifies, in full.',
    calls: cipherNameCalls,
    code: 'cipher-mismatch',
    section: '2.3',
  },
  'cipher-name': {
    title: 'The library does not know the cipher by that name',
    meaning:
      'The name of the cipher belongs to another library or needs a provider that is not installed. Nothing was decrypted.',
    causes: {
      ciphers:
        'The name belongs to another library: Java uses AES/CBC/PKCS5Padding, OpenSSL aes-256-cbc.',
      probe: 'The provider or an old algorithm is not available (BouncyCastle, OpenSSL 3 legacy).',
      trace: 'The name comes from a setting that is empty or misspelt.',
    },
    fix: 'Write the name as the library spells it.',
    calls: cipherNameCalls,
    section: '2.3',
  },
  'not-base64-text': {
    title: 'The text that was decoded is not Base64',
    meaning:
      'Something that is not standard Base64 was given to a Base64 decoder: a payload in another encoding, a damaged one, or a value that is never encoded, such as the per-user key.',
    causes: {
      probe: otherEncoding,
      'stored-key': 'The wrong value is decoded: the per-user key and ptn_cd are plain text.',
      trace: 'The text was changed before: form decoding turned "+" into a space, or it was cut.',
    },
    fix: 'Decode partner_sp and ubifill, once, with the standard alphabet; never decode the key.',
    ...decoded,
  },
  'not-hex-text': {
    title: 'The text that was decoded is not hexadecimal',
    meaning:
      'The application decodes hexadecimal, and what it was given has other characters: a payload in Base64, or the per-user key, which need not be hexadecimal.',
    causes: {
      probe: 'It expects the payload in hexadecimal; by default it is sent in Base64.',
      'stored-key': 'It decodes the per-user key, which is 32 characters of any kind.',
      trace: 'The text is in quotes, has a prefix such as 0x, or was cut.',
    },
    fix: 'Decode payloads from Base64, and use the characters of the key as its bytes.',
    ...decoded,
  },
  'not-text': {
    title: 'The decrypted bytes are not UTF-8 text',
    meaning:
      'Decryption gave no error, and its result is not text: the first block or all of it is noise, or text is converted in another charset.',
    causes: {
      probe: 'The IV is taken from the wrong place, or another mode or key is used.',
      'plain-name': 'Text is converted in the platform charset (Latin-1, EUC-KR) instead of UTF-8.',
      'latest-key': olderKey,
    },
    fix: 'Take the IV from where the cipher has it, do not decrypt it as data, and convert bytes to text as UTF-8.',
    ...decrypted('cipher-mismatch'),
  },
  'not-json-text': {
    title: 'The text that was parsed is not JSON',
    meaning:
      'Either the decrypted ubifill is not the JSON that the application expects (or is noise), or the body of the request was read twice or not as JSON.',
    causes: {
      'no-user-info': optionalUserInfo,
      probe: 'The decrypted text is wrong: first block noise, or bytes of padding at its end.',
      'key-exchange': 'The body is parsed a second time, or was consumed before the handler.',
    },
    fix: 'Parse the request body once; treat ubifill as optional and take its padding off before parsing.',
    section: '2.3',
  },
  'value-missing': {
    title: 'A value is null where the code needs one',
    meaning:
      'After a good key exchange this is mostly the stored key of the user, which was not found, or a field of the request that was not read.',
    causes: {
      'same-user': lostUser,
      'dry-run': {
        cause:
          'The body of the request was not parsed as JSON, or a field has another name in the code: partner_sp is not partnerSp on the wire.',
        names: onBoth(readBody),
        fix: 'Parse the body as JSON before the handler reads it, and read the fields by their names on the wire.',
        calls: bodyCalls,
      },
      'no-user-info': {
        cause: 'The code needs ubifill, which is optional, or a part of it that is absent.',
        step: 'registration',
        names: userInfoField,
        fix: 'Accept a registration without ubifill, and without any part of it.',
      },
    },
    fix: 'Store the key under ptn_cd before responding to the key exchange, and look it up by the same ptn_cd.',
    calls: storeCalls,
    section: '4.1.2',
  },
  'field-absent': {
    title: 'A field of the request is absent or has another name',
    meaning:
      'The code reads a field that this request does not have: ubifill is optional, and names are exact and in small letters with underscores.',
    causes: {
      'no-user-info': {
        cause: 'The code needs ubifill although it is optional.',
        step: 'registration',
        names: userInfoField,
        fix: 'Accept a registration without ubifill.',
      },
      'dry-run': {
        cause:
          'The name differs (camelCase in the code, underscores on the wire), or the body was not read as JSON.',
        names: ownFields,
        fix: 'Read the request as a JSON body, and its fields by their names on the wire.',
        calls: bodyCalls,
      },
      'key-exchange': {
        cause: 'A key exchange and a registration share one model with all fields required.',
        names: { 'key-exchange': /partner_?sp|ubi_?fill/i, registration: /public_?key/i },
      },
    },
    fix: 'Read the fields by their names on the wire, and only those of this used_type.',
    section: '4.1.2',
  },
  'user-unknown': {
    title: 'The user was not found in the store',
    meaning:
      'The application looked up the ptn_cd of the registration and found no record, although the key exchange for it succeeded.',
    causes: {
      'same-user': lostUser,
      'exact-code':
        'It looks up by another value: an id of its own, a trimmed or lower-cased code.',
      concurrent:
        'The key exchange is not committed before its response, or goes to another database.',
    },
    fix: 'Store key and user under the whole ptn_cd and commit before responding to the key exchange.',
    calls: storeCalls,
    section: '4.1.1',
  },
  'row-duplicate': {
    title: 'The database already has this row',
    meaning:
      'The application inserts where it must replace: a user may exchange a key and register again.',
    causes: {
      'new-key': 'A second key exchange or registration for the same ptn_cd inserts again.',
      'no-user-info': 'Another column is unique, such as the email of the test user.',
      'exact-code': 'Two codes are the same to the collation of the column: Alice and alice.',
    },
    fix: 'Insert or update, by ptn_cd, compared exactly.',
    calls: storeCalls,
    section: '4.1.1',
  },
  'column-short': {
    title: 'A value is longer than its column',
    meaning:
      'The database refuses or cuts a value: the key has 32 characters, a passcode, a ptn_cd and encrypted fields may be longer than expected.',
    causes: {
      'short-passcode': 'The column of the key, the passcode or the encrypted field is too short.',
      'stored-key': 'The key is stored encoded (Base64 has 44 characters, hex 64).',
      'no-user-info': 'A name or phone number of ubifill is longer than its column.',
    },
    fix: 'Widen the column; 255 characters suffice for every value of this interface except public_key.',
    section: '4.1.2',
  },
  'column-null': {
    title: 'A column that must not be null got no value',
    meaning:
      'The application saves a record of which a part is missing: ubifill and its attributes are optional.',
    causes: {
      'no-user-info': 'A column for an attribute of ubifill is NOT NULL.',
      'key-exchange': 'The key exchange saves a user whose passcode is not known yet.',
      'dry-run': 'A field was not read because its name differs in the code.',
    },
    fix: 'Allow null in columns that are filled later or are optional.',
    section: '4.1.2',
  },
  'column-charset': {
    title: 'The database cannot store the text in its charset',
    meaning:
      'A character of a name or user code is outside the charset of the column, or the bytes are not text because decryption was wrong.',
    causes: {
      'plain-name':
        'The column has a charset without this character: latin1, or utf8 of three bytes.',
      probe: 'The decrypted text is noise: another cipher, IV or key.',
      'no-user-info': 'Raw bytes are stored in a text column.',
    },
    fix: 'Use utf8mb4 (MySQL) or UTF8 (PostgreSQL), and store text after decrypting it.',
    section: '2.3',
  },
  'schema-missing': {
    title: 'A table or column is missing in the database',
    meaning: 'The schema of this environment is older than the code. Encryption plays no part.',
    causes: {
      'key-exchange': 'Migrations were not run in this environment.',
      'no-user-info': 'Only a column for the user information is missing.',
      'same-user': 'The application is connected to another database or schema.',
    },
    fix: 'Run the migrations of the application against the database that it is connected to.',
    section: '4.1',
  },
  'database-down': {
    title: 'The application cannot reach a server of its own',
    meaning:
      'A connection from the application to its database, cache or another service was refused or timed out. Encryption plays no part.',
    causes: {
      'key-exchange': 'The database or cache is not running, or listens at another address.',
      doctor: 'In a container, localhost is the container itself: use the name of the service.',
      load: 'The connection pool is exhausted by connections that are never returned.',
    },
    fix: 'Start the server that the message names, or correct its address in the settings of the application.',
    section: '4.1',
  },
  'rsa-failed': {
    title: 'An RSA operation failed',
    meaning:
      'RSA is used once in this interface: the application encrypts its 32-character key with public_key. It has nothing to decrypt by RSA; partner_sp and ubifill are under the per-user key.',
    causes: {
      probe: 'The code decrypts partner_sp or ubifill by RSA instead of with the per-user key.',
      'key-exchange': 'More than the key is encrypted: 245 bytes is the most with 2048 bits.',
      'rotated-key': 'Key or padding differ between two places of the code.',
    },
    fix: 'Encrypt the 32 characters with public_key (PKCS #1 v1.5) in the key exchange; decrypt partner_sp with those 32 characters as AES key.',
    calls: wrapCalls,
    decryption: 'of-bytes',
    section: '2.2',
  },
  'public-key-unreadable': {
    title: 'public_key could not be read',
    meaning:
      'The field public_key is Base64 of a DER SubjectPublicKeyInfo without PEM header lines; the library was given something else, or another format was asked for.',
    causes: {
      'key-exchange': 'The library expects PEM, and the text has no BEGIN and END lines.',
      trace: 'The Base64 text was not decoded, was decoded twice, or lost its "+" characters.',
      'inspect-public-key':
        'The format asked for is PKCS #1 instead of SubjectPublicKeyInfo (X.509, SPKI).',
    },
    fix: 'Decode the Base64 text and read the bytes as a DER SubjectPublicKeyInfo.',
    calls: publicKeyCalls,
    section: '2.2',
  },
  'text-for-bytes': {
    title: 'Text was given where bytes are needed, or the reverse',
    meaning:
      'A value has the wrong type for the library: keys, IVs and ciphertext are bytes, JSON fields are text.',
    causes: {
      trace: 'A string is passed without conversion to bytes (key, IV, Base64 text).',
      'key-exchange': 'Bytes are put into JSON or joined to text without Base64 or decoding.',
      'dry-run': 'A field arrives as another type because the body was parsed otherwise.',
    },
    fix: 'Convert explicitly: text to bytes as UTF-8, bytes to text as Base64 for JSON.',
    calls: keyBytesCalls,
    section: '2.2',
  },
  'payload-short': {
    title: 'The payload is shorter than what the code takes from it',
    meaning:
      'The code takes an IV, a tag or a block from bytes that are not there: the payload was empty, not decoded, or has another layout.',
    causes: {
      probe: 'The application expects an IV or tag in front that the cipher does not have.',
      trace: 'Decoding gave too few bytes because the error of the decoder was ignored.',
      'no-user-info': 'The field ubifill is absent, and its empty value is decrypted all the same.',
    },
    fix: 'Check the length before slicing, and skip ubifill where it is absent.',
    ...decrypted('cipher-mismatch'),
  },
  'field-unknown': {
    title: 'The application refuses a field that it does not know',
    meaning:
      'A strict model refuses a field of the request. The two callbacks have different fields, and new ones may come.',
    causes: {
      'no-user-info': 'One model is used for both callbacks, without ubifill or partner_sp.',
      'unknown-fields': 'The model refuses every unknown field.',
      'dry-run': 'A field of the model has another name on the wire.',
    },
    fix: 'Ignore unknown fields in the model of the callback.',
    calls: {
      java: '@JsonIgnoreProperties(ignoreUnknown = true)',
      kotlin:
        '@JsonIgnoreProperties(ignoreUnknown = true) // kotlinx: Json { ignoreUnknownKeys = true }',
      node: 'new ValidationPipe({ whitelist: true }) // without forbidNonWhitelisted',
      python: "model_config = ConfigDict(extra='ignore')",
      go: 'do not call decoder.DisallowUnknownFields()',
      csharp: '[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]',
    },
    section: '4.1',
  },
  'own-format': {
    title: 'The library expects an envelope format of its own',
    meaning:
      'Encryption helpers of frameworks (Laravel Crypt, Rails MessageEncryptor, Fernet, Jasypt) read only what they made themselves. partner_sp is a plain ciphertext.',
    causes: {
      probe: 'The helper of the framework is used instead of the cipher itself.',
      'stored-key':
        'The stored key is encrypted by that helper, with an application key that has changed.',
      salted: 'The payload is expected as "Salted__" (openssl enc, CryptoJS).',
    },
    fix: 'Decrypt with the cipher API of the language, using the per-user key.',
    ...decrypted('cipher-mismatch'),
  },
  'body-refused': {
    title: 'The framework refused the request before the handler ran',
    meaning:
      'Body, Content-Type, size or a security filter stopped the request; nothing was decrypted.',
    causes: {
      'key-exchange':
        'The handler does not accept application/json;charset=utf-8, or a filter consumed the body.',
      doctor: {
        cause: 'CSRF protection or a login covers the path.',
        names: onBoth(/csrf|authenticity|TokenMismatch/i),
        fix: 'Exempt the path from CSRF protection and login: the other side has neither a token nor a session.',
        calls: catalogue['html-instead-of-json'].calls,
      },
      'no-user-info': {
        cause: 'A proxy or framework limits the size of bodies.',
        names: onBoth(/too large/i),
        fix: 'Raise the limit on the size of requests (nginx: client_max_body_size): it is too small for a callback.',
      },
    },
    fix: 'Let the path accept POST with application/json;charset=utf-8, without CSRF check and login.',
    calls: catalogue['html-instead-of-json'].calls,
    section: '4.1',
  },
} as const satisfies Readonly<Record<string, ErrorSituation>>;

export type SituationId = keyof typeof errorSituations;

/** A command that distinguishes a cause from the others; the edge knows how it is written. */
export type Test = {
  [Id in SituationId]: keyof (typeof errorSituations)[Id]['causes'];
}[SituationId];

/** The likeliest first. */
export function likelyCauses({ causes }: ErrorSituation): readonly LikelyCause[] {
  return Object.entries(causes).map(([test, cause]) => ({
    ...(typeof cause === 'string' ? { cause } : cause),
    test: test as Test,
  }));
}
