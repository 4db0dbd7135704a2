import type { Calls, DiagnosisCode } from '../errors.ts';
import {
  base64CallsOf,
  bodyCalls,
  exemptCalls,
  keyBytesCalls,
  publicKeyCalls,
  readCalls,
  storeCalls,
  wrapCalls,
} from './calls.ts';
import { catalogue } from './catalogue.ts';
import { causeOfStatus } from './http-status.ts';

/** What shows whether a cause is the one, in words; the edge knows the commands. */
export const experiments = {
  probe: '`authcli cipher probe`',
  'latest-key': 'the check registration/latest-key',
  'new-key': 'the check key-exchange/new-key-each-time',
  'no-user-info': 'a sign-up without ubifill',
  'plain-name': 'a sign-up with a name in ASCII',
  'unknown-fields': 'the check protocol/ignores-unknown-fields',
  concurrent: 'the check protocol/concurrent-signups',
  'key-exchange': 'another key exchange',
  'same-user': 'a registration for the same user once more',
  'own-user': "a sign-up of one of the application's own users",
  'bare-type': 'a sign-up with Content-Type: application/json alone',
  trace: 'the request and response on the wire',
  'dry-run': 'the request as it is sent',
  'stored-key': 'the stored key beside that of `authcli users show`',
  'inspect-public-key': '`authcli key inspect`',
  ciphers: '`authcli cipher list`',
  doctor: '`authcli doctor`',
  load: '`authcli load`',
} as const;

/** A way to confirm or exclude a cause. */
export type Test = keyof typeof experiments;

/** What is wrong in an application, and its own fix. */
export interface ErrorCause {
  /** A sentence; `{field}`, `{name}`, `{declared}` and `{detail}` stand for what the text says. */
  readonly cause: string;
  readonly fix: string;
  readonly test: Test;
  readonly calls?: Calls;
  /** The calls are those that decrypt under the cipher of the registration, from bytes or from text. */
  readonly decryption?: 'of-bytes' | 'of-text';
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

const storeFix =
  'Store the key under the whole ptn_cd and commit before responding to the key exchange; look it up by the same ptn_cd.';
const keyBytesFix = 'Use the 32 characters of the key as its bytes (UTF-8), without decoding them.';

/** A fault of a connection, as the catalogue describes it. */
function connection(code: DiagnosisCode): ErrorCause {
  const { title, fix } = catalogue[code];
  return { cause: `${title}.`, fix, test: 'doctor' };
}

const readByName = {
  fix: 'Read the fields by their names on the wire, in small letters with underscores.',
  calls: readCalls,
  test: 'dry-run',
} as const;

/** By id; the situations name them. */
export const errorCauses = {
  'body-unparsed': {
    cause: 'The body of the request was not parsed as JSON before the handler reads it.',
    fix: 'Parse the body as JSON before the handler reads it: it is neither a form nor a query.',
    calls: bodyCalls,
    test: 'dry-run',
  },
  'field-unread': {
    cause:
      'A field is null where the code reads it: the body was not parsed as JSON, or the field has another name in the code than on the wire.',
    fix: 'Bind the fields by their names on the wire, in small letters with underscores, from a body that is parsed as JSON.',
    test: 'dry-run',
  },
  'body-consumed': {
    cause:
      'The body is empty where it is read: a filter, a logger or an earlier parse has consumed it.',
    fix: 'Read the body once, in one place, and pass on what was parsed.',
    test: 'dry-run',
  },
  'body-parsed-twice': {
    cause: 'What is parsed is an object already: the framework has parsed the body.',
    fix: 'Parse the body once: use the object that the framework gives, without another JSON parse.',
    test: 'dry-run',
  },
  'array-for-object': {
    cause: 'The JSON was parsed into an object of class stdClass, and is used as an array.',
    fix: "Pass true as second argument: json_decode(file_get_contents('php://input'), true).",
    calls: { php: bodyCalls.php ?? '' },
    test: 'dry-run',
  },
  'media-type': { ...causeOfStatus(415), test: 'bare-type' },
  csrf: { ...causeOfStatus(419), calls: exemptCalls, test: 'doctor' },
  'record-refused': {
    cause: 'A validation of a record failed when it was saved.',
    fix: 'Read in the log of the application which validation failed (RecordInvalid), and keep what a callback brings from it.',
    test: 'no-user-info',
  },
  'login-wanted': { ...causeOfStatus(401), test: 'doctor' },
  forbidden: { ...causeOfStatus(403), test: 'doctor' },
  'bot-protection': {
    cause: 'A protection against bots wants a browser that solves its challenge.',
    fix: 'Exempt the path from the challenge (Cloudflare: a rule that skips it): the other side is a server.',
    test: 'doctor',
  },
  'no-route': { ...causeOfStatus(404), test: 'doctor' },
  'no-slash': {
    cause: 'The route ends with a slash and the URL does not; Django can not redirect a POST.',
    fix: 'Add the slash to the URL, or define the route without it.',
    test: 'doctor',
  },
  'no-post': { ...causeOfStatus(405), test: 'doctor' },
  'host-refused': { ...causeOfStatus(421), test: 'doctor' },
  'length-required': { ...causeOfStatus(411), test: 'trace' },
  'request-too-large': { ...causeOfStatus(413), test: 'no-user-info' },
  'proxy-alone': {
    cause: 'A proxy responded, because the application behind it did not.',
    fix: '{detail}',
    test: 'doctor',
  },
  'function-failed': {
    cause: 'The function failed before it returned, and the platform wrote its own envelope.',
    fix: 'Find the error in the log of the function, catch it, and return the JSON of the interface.',
    test: 'trace',
  },
  'field-name': {
    cause: 'The application reads {name}; on the wire the field is {field}.',
    ...readByName,
  },
  'field-renamed': {
    cause: 'The application declares {camel}; on the wire the field is {field}.',
    ...readByName,
  },
  'field-declared': {
    cause: 'The application declares {field} as {declared}; on the wire it is a string.',
    fix: 'Declare {field} as a string: used_type is "1" for a key exchange and "2" for a registration, in quotation marks.',
    test: 'dry-run',
  },
  'used-type-value': {
    cause:
      'The application compares used_type with a number or another value; on the wire it is the string "1" or "2".',
    fix: 'Compare used_type with the strings "1" (key exchange) and "2" (registration).',
    test: 'dry-run',
  },
  'field-limit': {
    cause: 'The application allows fewer characters for {field} than it has.',
    fix: 'Raise the limit: public_key has 392 characters at 2048 bits and 736 at 4096; the others fit in 255.',
    test: 'dry-run',
  },
  'one-model': {
    cause: 'A key exchange and a registration share one model with all fields required.',
    fix: 'Require only the fields of this used_type: public_key for a key exchange, partner_sp for a registration.',
    test: 'key-exchange',
  },
  'strict-model': {
    cause: 'The model refuses fields that it does not know: {field}.',
    fix: 'Declare the fields of both callbacks and ignore unknown ones: new fields may come.',
    calls: {
      java: '@JsonIgnoreProperties(ignoreUnknown = true)',
      kotlin:
        '@JsonIgnoreProperties(ignoreUnknown = true) // kotlinx: Json { ignoreUnknownKeys = true }',
      node: 'new ValidationPipe({ whitelist: true }) // without forbidNonWhitelisted',
      python: "model_config = ConfigDict(extra='ignore')",
      go: 'decoder := json.NewDecoder(r.Body) // without DisallowUnknownFields()',
      csharp: '[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]',
    },
    test: 'unknown-fields',
  },
  'undecorated-model': {
    cause:
      'The class of the body has no decorators of class-validator, so that the pipe knows none of its fields.',
    fix: 'Decorate each field of the class; without that, whitelist leaves an empty object.',
    calls: { node: '@IsString() client_id: string; // @IsOptional() @IsString() public_key?: …' },
    test: 'key-exchange',
  },
  'user-info-required': {
    cause: 'The application needs ubifill, or a part of it, which is optional.',
    fix: 'Accept a registration without ubifill, and without any part of it.',
    test: 'no-user-info',
  },
  'user-info-not-json': {
    cause: 'The decrypted ubifill is not the JSON that the application expects.',
    fix: 'Decrypt before parsing, take the padding off, and treat ubifill as optional: its format is agreed, not specified.',
    test: 'no-user-info',
  },
  'own-name': {
    cause:
      '{name} is not a field of this interface: it is a name of the application, in its session, its store or what it reads from ubifill.',
    fix: 'Find where the application sets {name}. A callback has no session, and ubifill has only the fields that were agreed.',
    test: 'no-user-info',
  },
  'not-awaited': {
    cause: 'A function that returns a Promise was called without await.',
    fix: 'Await the value before it is used, in an async function.',
    test: 'trace',
  },
  'setting-absent': {
    cause:
      '{name} is a setting, such as an environment variable, that is missing where the application runs.',
    fix: 'Set {name} in the environment that the application starts from, and start it again.',
    test: 'key-exchange',
  },
  'header-absent': {
    cause:
      'The application wants the header {name}, which a callback does not have: section 4 asks for Content-type alone.',
    fix: 'Serve the callback without {name}: exempt its path from what checks that header.',
    test: 'dry-run',
  },
  'client-id': {
    cause:
      'The application is set to another client_id than the one that was sent, or reads it from elsewhere than the field client_id of the JSON.',
    fix: 'Log both values where they are compared: pass the client_id that the application has, or set that one in the application; read it by its name on the wire, from the parsed body.',
    test: 'dry-run',
  },
  'foreign-user': {
    cause: 'The application knows no user with this ptn_cd.',
    fix: 'Send a ptn_cd of its own users; in the real flow they exist before the key exchange.',
    test: 'own-user',
  },
  'user-code-form': {
    cause: 'The application accepts user codes of another form than this ptn_cd.',
    fix: 'Send a ptn_cd of its own users, or take ptn_cd as any string.',
    test: 'own-user',
  },
  'lost-key': {
    cause:
      'The key of the key exchange is not found under this ptn_cd: never stored, in a session or the memory of another process, or looked up by another value.',
    fix: storeFix,
    calls: storeCalls,
    test: 'same-user',
  },
  'other-cipher': {
    cause:
      "It decrypts with another cipher, mode, IV, encoding or reading of the key than the payload's.",
    fix: 'Decrypt with the cipher that the service specifies: algorithm, mode, IV, key bytes and padding must all match.',
    decryption: 'of-bytes',
    test: 'probe',
  },
  'other-key': {
    cause:
      'It decrypts with another key than that of the latest key exchange: an older one, or one changed in the store.',
    fix: 'Replace the stored key at each key exchange, and store its 32 characters unchanged.',
    test: 'latest-key',
  },
  'gcm-expected': {
    cause:
      'The application decrypts with an authenticated mode (GCM), and the payload is {detail}.',
    fix: 'Decrypt with the cipher that the service specifies, which has no tag.',
    decryption: 'of-bytes',
    test: 'probe',
  },
  'text-undecoded': {
    cause: 'The text of the payload was not decoded to bytes, or by another encoding.',
    fix: 'Decode the text of the payload to bytes once, before taking the IV from them and decrypting the rest.',
    decryption: 'of-text',
    test: 'probe',
  },
  'key-converted': {
    cause: 'The key was decoded or encoded before its use{detail}.',
    fix: keyBytesFix,
    calls: keyBytesCalls,
    test: 'probe',
  },
  'key-changed': {
    cause: 'The key is not the 32 characters that were sent{detail}.',
    fix: 'Store and read the 32 characters of the key unchanged: no line end, no quotation marks, a column that is long enough.',
    test: 'stored-key',
  },
  'key-policy': {
    cause: 'This Java, older than 8u161, limits AES to keys of 128 bits.',
    fix: 'Update Java, or call Security.setProperty("crypto.policy", "unlimited") at its start. Do not change the key.',
    test: 'probe',
  },
  'key-size': {
    cause: 'The cipher in the code takes a key of another length than 32 bytes: {detail}.',
    fix: 'Name the cipher that the service specifies: AES-256 takes the 32 bytes of the key. Do not change the key.',
    calls: cipherNameCalls,
    test: 'probe',
  },
  'iv-misplaced': {
    cause: 'The IV is not the 16 bytes in front of the decoded payload{detail}.',
    fix: 'Decode the payload to bytes, take the IV from where the cipher has it, and decrypt the rest.',
    decryption: 'of-text',
    test: 'probe',
  },
  'mode-mismatch': {
    cause: 'The mode named in the code is not the intended one: ECB takes no IV, only GCM a tag.',
    fix: 'Name the mode that the service specifies, in full.',
    calls: cipherNameCalls,
    test: 'probe',
  },
  'cipher-name': {
    cause:
      'The library has no cipher of that name: it is spelt as in another one, or not installed.',
    fix: 'Write the name as the library spells it.',
    calls: cipherNameCalls,
    test: 'ciphers',
  },
  'other-encoding': {
    cause: 'The text is in another encoding than the application decodes{detail}.',
    fix: 'Decode partner_sp and ubifill once, from the encoding that the service specifies, by default standard Base64.',
    decryption: 'of-text',
    test: 'probe',
  },
  'bytes-for-base64': {
    cause: 'openssl_decrypt was given bytes, and decodes Base64 itself without OPENSSL_RAW_DATA.',
    fix: 'Pass OPENSSL_RAW_DATA where the payload is decoded already.',
    decryption: 'of-bytes',
    test: 'probe',
  },
  'key-not-encoded': {
    cause: 'It decodes the per-user key or another value that is plain text.',
    fix: keyBytesFix,
    calls: keyBytesCalls,
    test: 'stored-key',
  },
  'public-key-text': {
    cause: 'The text of public_key was changed, or is decoded from another encoding{detail}.',
    fix: 'Decode public_key as received, from standard Base64, once.',
    calls: publicKeyCalls,
    test: 'inspect-public-key',
  },
  'public-key-format': {
    cause:
      'public_key is Base64 of a DER SubjectPublicKeyInfo without BEGIN and END lines; the library was given it as something else.',
    fix: 'Decode the Base64 text and read the bytes as a DER SubjectPublicKeyInfo (X.509), or add the lines of PEM.',
    calls: publicKeyCalls,
    test: 'inspect-public-key',
  },
  'wraps-too-much': {
    cause: 'More than the key is encrypted by RSA: 245 bytes are the most with 2048 bits.',
    fix: 'Encrypt only the 32 characters of the key with public_key, by PKCS #1 v1.5.',
    calls: wrapCalls,
    test: 'key-exchange',
  },
  'rsa-for-payload': {
    cause: 'The code decrypts partner_sp or ubifill by RSA instead of with the per-user key.',
    fix: 'Decrypt partner_sp and ubifill with the per-user key: an application has nothing to decrypt by RSA.',
    decryption: 'of-bytes',
    test: 'probe',
  },
  'bytes-in-json': {
    cause: 'Bytes are put into the JSON of the response without Base64.',
    fix: 'Encode the encrypted key in Base64, as text, before it goes into the JSON.',
    calls: base64CallsOf('wrapped'),
    test: 'key-exchange',
  },
  'text-for-bytes': {
    cause: 'Text is passed where the library takes bytes, such as a key or an IV.',
    fix: 'Convert text to bytes explicitly, as UTF-8; decode Base64 text to its bytes.',
    calls: keyBytesCalls,
    test: 'trace',
  },
  'own-format': {
    cause:
      'A helper of the framework (Laravel Crypt, MessageEncryptor, Fernet, Jasypt) is used, which reads only its own envelopes.',
    fix: 'Decrypt with the cipher API of the language, using the per-user key.',
    decryption: 'of-bytes',
    test: 'probe',
  },
  'row-inserted-again': {
    cause: 'A second key exchange or registration for the same ptn_cd inserts again.',
    fix: 'Insert or update, by ptn_cd, compared exactly.',
    calls: storeCalls,
    test: 'new-key',
  },
  'row-of-another-user': {
    cause:
      'Another user has the same e-mail address, phone number or name, which has to be unique there.',
    fix: 'Identify users by ptn_cd alone: user information is optional and can occur twice. For test users, pass values of their own (--email, --phone).',
    test: 'no-user-info',
  },
  'column-short': {
    cause:
      'The column is shorter than the value: the key has 32 characters, more if it is encoded or encrypted.',
    fix: 'Widen the column; 255 characters suffice for every value of this interface except public_key.',
    test: 'stored-key',
  },
  'column-null': {
    cause: 'The application writes a row without a value for {name}, whose column is NOT NULL.',
    fix: 'Set {name} where this callback brings it; otherwise allow null: the key comes before the passcode, and user information is optional.',
    test: 'no-user-info',
  },
  'column-charset': {
    cause: 'The column has a charset without this character: latin1, or utf8 of three bytes.',
    fix: 'Use utf8mb4 (MySQL) or UTF8 (PostgreSQL), and store text after decrypting it.',
    test: 'plain-name',
  },
  'schema-older': {
    cause: 'The schema of this database is older than the code, or it is another database.',
    fix: 'Run the migrations of the application against the database that it is connected to.',
    test: 'key-exchange',
  },
  'database-locked': {
    cause:
      'Requests write the same rows or SQLite file at the same time, or a transaction stays open.',
    fix: 'End each transaction before responding, and repeat it after a deadlock; for SQLite, set a busy timeout and WAL.',
    test: 'concurrent',
  },
  'server-unreachable': {
    cause:
      'The application did not reach {detail}: not the callback, but a database, a cache or another service that it calls.',
    fix: 'Check that this server runs, and that the settings of the application have its address; in a container, localhost is the container itself.',
    test: 'doctor',
  },
  'database-login': {
    cause:
      'The application logs in to its database or cache with a user or password that is refused.',
    fix: 'Correct the user and password in the settings that the application runs with.',
    test: 'key-exchange',
  },
  'library-missing': {
    cause: 'A module, class or extension is not installed where the application runs.',
    fix: 'Install it in the environment or image that the application starts from, and restart.',
    test: 'key-exchange',
  },
  'connections-used-up': {
    cause:
      'All connections to the database are in use: some are not given back, or it allows too few.',
    fix: 'Give each connection back before responding, also after an error; then compare the size of the pool with the limit of the database.',
    test: 'load',
  },
  'application-unreachable': {
    cause: 'Who calls the application did not reach it at {detail}.',
    fix: 'Start the application, and check name and port of the URL; in a container, let it listen on 0.0.0.0.',
    test: 'doctor',
  },
  'own-tls': {
    cause:
      'A TLS connection of the application to another service failed; the callback itself arrived.',
    fix: 'Correct that connection: the scheme of its URL, the CAs that the application trusts, or the certificate of that service.',
    test: 'doctor',
  },
  'https-wanted': {
    cause: 'The port speaks HTTPS, and the request was sent as plain HTTP.',
    fix: 'Use the URL with https://.',
    test: 'doctor',
  },
  'protocol-error': connection('protocol-error'),
  'tls-untrusted': connection('tls-untrusted'),
  'tls-expired': connection('tls-expired'),
  'tls-hostname': connection('tls-hostname'),
  'tls-version': connection('tls-version'),
} as const satisfies Readonly<Record<string, ErrorCause>>;

export type CauseId = keyof typeof errorCauses;
