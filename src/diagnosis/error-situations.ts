import { algorithmOf, type Cipher, defaultCipher, formatCipher } from '../crypto/cipher.ts';
import type { Confidence, DiagnosisCode } from '../errors.ts';
import { namesInCode } from './calls.ts';
import type { CauseId } from './error-causes.ts';
import { causeOfStatus } from './http-status.ts';

export type CallbackStep = 'key-exchange' | 'registration';

/** What is known of the request that an error text responds to. */
export interface Sent {
  readonly step?: CallbackStep | undefined;
  readonly ptnCd?: string | undefined;
  /** The names of its fields. */
  readonly fields?: readonly string[] | undefined;
  /** Of a registration, the cipher that its fields are encrypted under. */
  readonly cipher?: Cipher | undefined;
  /** The HTTP status of the response. */
  readonly status?: number | undefined;
}

/** A name that a text quotes. */
export interface Named {
  /** As it is in the text. */
  readonly name: string;
  /** The field of the interface that it is, or resembles. */
  readonly field: string | undefined;
  /** It is the ptn_cd that was sent. */
  readonly isUser: boolean;
}

/** A known error text, taken apart. */
export interface Found {
  /** What the table knows it by, as it was found, and the rest of its line. */
  readonly text: string;
  readonly named: readonly Named[];
  readonly sent: Sent;
  /** All that was read. */
  readonly whole: string;
}

/** At most two causes, the likelier first; with a confidence, that of the first. */
export interface Verdict {
  readonly causes: readonly CauseId[];
  readonly confidence?: Confidence;
  readonly detail?: string | undefined;
}

/**
 * What a text says, in one line, what may cause that, and the diagnosis of a registration that fails like
 * this, by default that of its response. What is about `access` was refused before the handler ran; what is
 * about `fields` says nothing where the HTTP status has a meaning of its own.
 */
type ErrorSituation = readonly [
  about: 'access' | 'fields' | 'user' | 'text' | 'payload' | 'key' | 'environment',
  title: string,
  causes: CauseId | readonly CauseId[] | ((found: Found) => Verdict),
  code?: DiagnosisCode,
];

const none: Verdict = { causes: [] };

function certain(cause: CauseId, detail?: string): Verdict {
  return { causes: [cause], confidence: 'certain', detail };
}

/** The first is clearly ahead. */
function likely(causes: CauseId | readonly CauseId[], detail?: string): Verdict {
  return { causes: [causes].flat(), confidence: 'likely', detail };
}

/** An experiment has to decide. */
function either(causes: readonly [CauseId, CauseId], detail?: string): Verdict {
  return { causes, detail };
}

const wrong = ['other-cipher', 'other-key'] as const;
const undecoded = ['text-undecoded', 'other-cipher'] as const;
const short = () => either(undecoded);
const rejected = () => either(['csrf', 'record-refused']);
const otherCharset = () => either(['column-charset', 'other-cipher']);

/** By id; the table of error texts names them. */
export const errorSituations = {
  'media-type': ['access', 'The media type of the request is refused', 'media-type'],
  csrf: ['access', 'CSRF protection refused the request', 'csrf'],
  rejected: ['fields', 'Rails rejected the request', rejected],
  'client-refused': ['user', 'The client_id is refused', ['client-id']],
  'login-wanted': ['access', 'A login or a token is asked for', ['login-wanted']],
  forbidden: ['access', 'Access is forbidden', ['forbidden']],
  'bot-protection': ['access', 'A challenge for browsers was sent', 'bot-protection'],
  'no-route': ['access', 'Nothing responds at this path', 'no-route'],
  'no-slash': ['access', 'The route ends with a slash', 'no-slash'],
  'no-post': ['access', 'POST is not handled at this path', 'no-post'],
  'host-refused': ['access', 'The host name is not served', 'host-refused'],
  'length-required': ['access', 'A Content-Length is required', 'length-required'],
  'too-large': ['access', 'The request is larger than the server allows', 'request-too-large'],
  'proxy-alone': ['access', 'A proxy got no response from the application', proxyAlone],
  'function-failed': ['access', 'A platform responded instead of the function', 'function-failed'],
  'body-missing': ['fields', 'The request has no body where it is read', ['body-consumed']],
  'body-unfit': ['fields', 'The body is not taken apart as JSON', ['body-unparsed']],
  'array-for-object': ['fields', 'An object is used as an array', ['array-for-object']],
  'field-absent': ['fields', 'A field or key is not where the code reads it', absent],
  'field-unknown': ['fields', 'The application refuses an unknown field', unknownField],
  'field-type': ['fields', 'A value has another type than the code declares', otherType],
  'field-value': ['fields', 'The application does not accept that value', otherValue],
  'field-limit': ['fields', 'A value is longer than the application allows', tooLong],
  'value-missing': ['user', 'A value is null where the code needs one', nullValue],
  'not-awaited': ['environment', 'A Promise is used as its value', 'not-awaited'],
  'user-unknown': ['user', 'The user was not found in the store', unknownUser],
  'key-unknown': ['user', 'A key was not found', unknownKey],
  'user-code-form': ['user', 'A value has another form than the code expects', otherValue],
  'not-json-text': ['text', 'The text that was parsed is not JSON', notJson],
  'not-base64-text': ['text', 'The decoded text is not Base64', otherEncoding, 'payload-encoding'],
  'not-hex-text': [
    'text',
    'The decoded text is not hexadecimal',
    otherEncoding,
    'payload-encoding',
  ],
  'padding-refused': ['payload', 'The decrypted bytes have no valid padding', wrong, 'bad-padding'],
  'decryption-failed': ['payload', 'The application could not decrypt', wrong],
  'block-length': ['payload', 'The ciphertext is not whole blocks', undecoded, 'payload-encoding'],
  'tag-refused': ['payload', 'The authentication tag does not match', otherTag, 'bad-tag'],
  'tag-missing': ['payload', 'The authentication tag is missing or too short', otherTag, 'bad-tag'],
  'key-bytes': ['payload', 'The key has the wrong number of bytes', keyBytes, 'wrong-key'],
  'iv-bytes': ['payload', 'The IV has the wrong number of bytes', ivBytes, 'cipher-mismatch'],
  'iv-missing': ['payload', 'The cipher was given no IV', ['iv-misplaced'], 'cipher-mismatch'],
  'iv-unwanted': [
    'payload',
    'The cipher takes no IV, or no tag',
    ['mode-mismatch'],
    'cipher-mismatch',
  ],
  'payload-short': ['payload', 'The payload is too short for the code', short, 'cipher-mismatch'],
  'cipher-name': ['payload', 'The library does not know the cipher by that name', ['cipher-name']],
  'not-text': ['payload', 'The decrypted bytes are not UTF-8 text', notText, 'cipher-mismatch'],
  'own-format': ['payload', 'The library wants its own format', ['own-format'], 'cipher-mismatch'],
  'rsa-failed': ['key', 'An RSA operation failed', rsaFailed],
  'public-key-unreadable': ['key', 'public_key could not be read', unreadableKey],
  'bytes-in-json': ['key', 'Bytes can not be written as JSON', ['bytes-in-json']],
  'text-for-bytes': ['key', 'Text was given for bytes, or the reverse', ['text-for-bytes']],
  'row-duplicate': ['environment', 'The database already has this row', duplicate],
  'column-short': ['environment', 'A value is longer than its column', 'column-short'],
  'column-null': ['environment', 'A column that must not be null got no value', 'column-null'],
  'column-charset': ['environment', 'The charset of the database lacks a character', otherCharset],
  'schema-missing': ['environment', 'The database lacks a table or column', ['schema-older']],
  'database-locked': [
    'environment',
    'The database is locked by another request',
    'database-locked',
  ],
  'database-down': ['environment', 'The database or cache is out of reach', databaseDown],
  'database-login': ['environment', 'The database refuses the login', 'database-login'],
  'library-missing': ['environment', 'A library is not found', ['library-missing']],
  'row-parent': ['user', 'A row refers to another that is not there', ['foreign-user']],
  'connections-used-up': ['environment', 'No connection is free', 'connections-used-up'],
  'connection-failed': ['environment', 'A connection failed', unreachable],
  'tls-untrusted': ['environment', 'A certificate is not trusted', ofTls('tls-untrusted')],
  'tls-expired': ['environment', 'A certificate is out of date', ofTls('tls-expired')],
  'tls-hostname': ['environment', 'A certificate has other names', ofTls('tls-hostname')],
  'tls-version': ['environment', 'The TLS versions do not match', ofTls('tls-version')],
  'https-wanted': ['access', 'The port speaks HTTPS', 'https-wanted'],
  'protocol-error': ['environment', 'Both sides differ in protocol', ofTls('protocol-error')],
} as const satisfies Readonly<Record<string, ErrorSituation>>;

export type SituationId = keyof typeof errorSituations;

export function isSituation(id: unknown): id is SituationId {
  return typeof id === 'string' && Object.hasOwn(errorSituations, id);
}

/** The sections of the interface that texts are about. */
const sections = {
  access: '4.1',
  fields: '4.1',
  user: '4.1.1',
  text: '2.3',
  payload: '2.3',
  key: '2.2',
  environment: undefined,
};

export function describeSituation(id: SituationId) {
  const [about, title, , code]: ErrorSituation = errorSituations[id];
  return { about, title, code, section: sections[about] };
}

/** What may cause a situation, for what was found. A key exchange has nothing to decrypt. */
export function judgeSituation(id: SituationId, found: Found): Verdict {
  const [about, , causes]: ErrorSituation = errorSituations[id];
  if (about === 'payload' && found.sent.step === 'key-exchange') return none;
  if (typeof causes === 'string') return certain(causes);
  return typeof causes === 'function' ? causes(found) : likely(causes);
}

/** A connection of the application itself; without a callback that arrived, it may be that to the application. */
function unreachable({ text, sent: { step } }: Found): Verdict {
  const [, address, name, host, port] = serverPattern.exec(text) ?? [];
  const server = address ?? name ?? (host && `${host}:${port}`);
  const isService =
    step !== undefined ||
    /^(?!localhost\b)[a-z][\w-]*(?::\d+)?$|:(?:1433|1521|3306|5432|5672|6379|9092|27017)$/.test(
      server ?? '',
    );
  if (isService || server === undefined)
    return likely('server-unreachable', server ?? 'a server of its own');
  return either(['application-unreachable', 'server-unreachable'], server);
}

const serverPattern =
  /(?<![\w.])((?:\d+\.\d+\.\d+\.\d+|::1|(?![\w.-]{1,60}\.(?:go|js|ts|py|java|kt|rb|php|cs):)[a-z][\w.-]{0,60}):\d{2,5})\b|(?:ENOTFOUND|EAI_AGAIN|lookup|UnknownHostException:|getaddrinfo for|translate host name) "?([\w.-]{1,80})|at "([\w.-]{1,80})".{0,40}?port (\d+)/i;

/** The wording is that of a database, whatever its address. */
function databaseDown(found: Found): Verdict {
  return likely('server-unreachable', unreachable(found).detail);
}

/** The same texts come from authcli, where no callback arrived. */
function ofTls(cause: CauseId): (found: Found) => Verdict {
  return ({ sent }) => likely(sent.step === undefined ? cause : 'own-tls');
}

/** Whether the request has the field; undefined where that is not known. */
function wasSent(field: string, { fields, step }: Sent): boolean | undefined {
  if (fields !== undefined) return fields.includes(field);
  if (field === 'client_id' || field === 'used_type' || field === 'ptn_cd') return true;
  if (step === undefined || (field === 'ubifill' && step === 'registration')) return undefined;
  return (field === 'public_key') === (step === 'key-exchange');
}

function absent(found: Found): Verdict {
  const {
    text,
    sent,
    named: [first],
  } = found;
  if (first === undefined) return none;
  const { field, name, isUser } = first;
  // What has digits and is not spelt as a name is a value.
  if (isUser || (/\d/.test(name) && /[^\w.]/.test(name))) return unknownUser(found);
  if (/^HTTP_|^X-/.test(name)) return likely('header-absent');
  if (/^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(name)) return likely('setting-absent');
  if (field === undefined) return ofOwnName(name, sent);
  if (name !== field) return likely('field-name');
  // A parameter is looked for in the query or a form.
  if (/"query"|\bparameter\b|BadRequestKeyError/i.test(text)) return certain('body-unparsed');
  const isSent = wasSent(field, sent);
  const other = field === 'ubifill' ? 'user-info-required' : 'one-model';
  if (isSent === undefined) return either([other, 'body-unparsed']);
  return likely(isSent ? 'body-unparsed' : other);
}

/** Only a key exchange brings what a registration needs of it. */
function ofOwnName(name: string, { step }: Sent): Verdict {
  const isKey = /(?:^|user|partner|aes|session|enc|sp)[_.-]?key$/i.test(name);
  if (!isKey || step === 'key-exchange') return likely('own-name');
  return step === undefined ? either(['lost-key', 'own-name']) : likely('lost-key');
}

function unknownField({ named, text, whole }: Found): Verdict {
  const isAlways = named.some(({ field }) => field === 'client_id' || field === 'ptn_cd');
  if (isAlways && /should not exist/.test(text)) return certain('undecorated-model');
  const field = named[0]?.field;
  // Jackson lists the names that the class has.
  const [declared] = field === undefined ? [] : namesInCode(field);
  if (declared !== field && whole.includes(`"${declared}"`)) return certain('field-renamed');
  if (field) return certain('strict-model');
  return /keyword argument/.test(text) ? none : likely('strict-model');
}

function otherType({ named: [first], text }: Found): Verdict {
  if (first === undefined || wantsString.test(text)) return none;
  if (first.isUser) return certain('user-code-form');
  return first.field === undefined ? likely('own-name') : certain('field-declared');
}

/** A string is what was sent. */
const wantsString =
  /valid string|must be a string|System\.String|of type [`']?(?:java\.lang\.)?string\b(?!['`]? to)/i;

function otherValue({ named: [first] }: Found): Verdict {
  if (first?.field === 'used_type' || /(?:^|\.)[12]$/.test(first?.name ?? ''))
    return certain('used-type-value');
  return first?.isUser || first?.field === 'ptn_cd' ? certain('user-code-form') : none;
}

function tooLong({ named: [first] }: Found): Verdict {
  return first?.field ? certain('field-limit') : none;
}

function proxyAlone({ sent: { status = 0 } }: Found): Verdict {
  return likely('proxy-alone', causeOfStatus(status > 500 ? status : 502).fix);
}

function unknownUser({ sent: { step } }: Found): Verdict {
  if (step === undefined) return either(['lost-key', 'foreign-user']);
  return likely(step === 'key-exchange' ? 'foreign-user' : 'lost-key');
}

function unknownKey({ sent: { step } }: Found): Verdict {
  return step === 'key-exchange' ? none : likely('lost-key');
}

function nullValue({ named: [first], text, sent: { step } }: Found): Verdict {
  if (/\breq(?:uest)?\.?_?body\b|"body"|\$_POST/i.test(text)) return likely('body-unparsed');
  if (first?.field === 'ubifill') return likely('user-info-required');
  if (first?.field !== undefined) {
    return likely(/^(?:get|is)[A-Z]/.test(first.name) ? 'field-name' : 'body-unparsed');
  }
  if (/Received (?:undefined|null)/.test(text) && !/"key"/.test(text)) return none;
  // What encrypts the key has failed before, and was not asked whether it did.
  if (/base64_encode/.test(text)) return either(['public-key-format', 'wraps-too-much']);
  if (/nil pointer/.test(text) && step === 'key-exchange')
    return either(['public-key-format', 'foreign-user']);
  if (step === 'key-exchange') return either(['field-unread', 'foreign-user']);
  if (step === undefined) return either(['lost-key', 'body-unparsed']);
  const isLookUp = /array offset|key|user|member|find|repo|session|cache|store/i.test(text);
  return isLookUp ? likely('lost-key') : either(['lost-key', 'user-info-required']);
}

function notJson({ text, sent: { step } }: Found): Verdict {
  if (/\[object Object\]|token o in JSON at position 1\b|must be str, bytes|not dict/.test(text))
    return certain('body-parsed-twice');
  const isEmpty = /char 0\)|end of (?:JSON )?input|end-of-input|any JSON tokens|\bEOF\b/i.test(
    text,
  );
  if (step === 'key-exchange') return isEmpty ? likely('body-consumed') : none;
  // The key exchange before was read.
  if (isEmpty)
    return step ? likely('user-info-not-json') : either(['body-consumed', 'user-info-not-json']);
  if (step === undefined) return either(['user-info-not-json', 'body-unparsed']);
  return likely(['user-info-not-json', 'other-cipher']);
}

function otherTag({ sent: { cipher } }: Found): Verdict {
  if (cipher === undefined) return likely('gcm-expected', 'aes-256-cbc by default');
  const isGcm = algorithmOf(cipher).mode === 'gcm';
  return isGcm ? likely('other-cipher') : certain('gcm-expected', formatCipher(cipher));
}

function otherEncoding({ text, sent: { step } }: Found): Verdict {
  if (/Failed to base64 decode/.test(text)) return certain('bytes-for-base64');
  const [, hex = ''] = /base64 character ([0-9a-f]+)/i.exec(text) ?? [];
  const meaning = base64Characters[hex.toLowerCase()];
  const detail = meaning && `: ${meaning}`;
  if (step === 'key-exchange') return likely('public-key-text', detail);
  if (detail !== undefined) return likely('other-encoding', detail);
  return likely(['other-encoding', 'key-not-encoded']);
}

/** Where the text names the length that is wanted, the cipher is another. */
function keyBytes({ text }: Found): Verdict {
  const number = (pattern: RegExp) => pattern.exec(text)?.[1];
  const wanted = number(/key must be (\d+) bytes/i);
  if (/Illegal key size/.test(text)) return likely('key-policy');
  if (wanted !== undefined && wanted !== '32') return certain('key-size', `${wanted} bytes`);
  const bits = number(/key size \((\d+)\)/i);
  const bytes =
    bits === undefined ? number(/key (?:length:? \(?|(?:of )?size )(\d+)/i) : Number(bits) / 8;
  if (bytes === undefined) return either(['key-converted', 'key-changed']);
  const [cause, detail] = keyLengths[Number(bytes)] ?? ['key-changed', 'they are another value'];
  return likely(cause, `: ${bytes} bytes, ${detail}`);
}

function ivBytes({ text, sent: { cipher } }: Found): Verdict {
  if (/iv must be 12 bytes/i.test(text))
    return likely('gcm-expected', formatCipher(cipher ?? defaultCipher));
  const [, count = ''] =
    /(?:IV (?:size \(|length \(?|passed is (?:only )?)|vector of size )(\d+)/i.exec(text) ?? [];
  const detail = ivLengths[count];
  return likely('iv-misplaced', detail && `: ${detail}`);
}

function notText({ text }: Found): Verdict {
  const [, position = '16'] = /in position (\d+)/.exec(text) ?? [];
  if (Number(position) >= 16) return likely(wrong);
  return likely(
    'iv-misplaced',
    `: position ${position} is in the first block, the only one that a wrong IV damages`,
  );
}

/** Test users have their name, phone and e-mail in common. */
function duplicate({ named: [first], text }: Found): Verdict {
  const isShared = /mail|phone|mobile|(?:^|[_.-])(?:ci|di|name)\b/i.test(first?.name ?? text);
  return likely(isShared ? 'row-of-another-user' : 'row-inserted-again');
}

function unreadableKey({ sent: { step } }: Found): Verdict {
  return step === 'registration' ? none : likely('public-key-format');
}

function rsaFailed({ text, sent: { step } }: Found): Verdict {
  if (/too[ _](?:large|long|much data)|exceeds|longer than|larger than|only space for/i.test(text))
    return likely('wraps-too-much');
  return step === 'key-exchange' ? none : likely('rsa-for-payload');
}

/** How a key of 32 characters gets another length. */
const keyLengths: Readonly<Record<number, readonly [cause: CauseId, detail: string]>> = {
  0: ['key-changed', 'the stored key is empty'],
  16: ['key-converted', 'which 32 hexadecimal digits decode to'],
  20: ['key-converted', 'the length of a SHA-1 digest'],
  24: ['key-converted', 'which 32 characters of Base64 decode to'],
  31: ['key-changed', 'one character was cut off'],
  33: ['key-changed', 'there is one character too many, such as a line end'],
  34: ['key-changed', 'there are two characters too many: quotation marks, or CR and LF'],
  44: ['key-converted', 'which is the Base64 of 32 bytes'],
  64: ['key-converted', 'which are 32 characters in UTF-16, or 32 bytes in hexadecimal'],
  256: ['key-changed', 'which are the encrypted key'],
  344: ['key-changed', 'which are the encrypted key in Base64'],
};

const base64Characters: Readonly<Record<string, string>> = {
  '2d': '"-" belongs to base64url',
  '5f': '"_" belongs to base64url',
  '20': 'form decoding turned "+" into a space',
  a: 'the text contains a line feed: use the MIME decoder, or send it on one line',
  d: 'the text contains a carriage return: it was broken into lines',
  '22': 'the text contains a quotation mark: it was serialised twice',
  '25': '"%" comes from URL encoding',
  '3a': '":" occurs in neither encoding: this is another value',
};

const ivLengths: Readonly<Record<string, string>> = {
  0: 'no bytes were left for it',
  12: '12 bytes are the usual IV of GCM',
  24: '24 characters are an IV of 16 bytes in Base64: decode it',
  32: '32 bytes are the whole key, or an IV in hexadecimal',
  128: 'the length was given as 128 bits instead of 16 bytes',
};
