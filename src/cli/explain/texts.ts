import type { Test } from '../../diagnosis/error-causes.ts';
import { hintOfStatus } from '../../diagnosis/http-status.ts';
import type { DiagnosisCode, ErrorCode } from '../../errors.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import { capitalised } from '../../text.ts';
import { exitStatusMeanings } from '../exit-status.ts';

/* What no catalogue has: the commands that tell causes apart, errors, fields, statuses, and the causes of codes. */

/** What goes wrong, the likeliest first, each with the command that shows it. */
type Causes = readonly (readonly [cause: string, command: string])[];

const causeTexts = (causes: Causes): readonly LikelyCauseText[] =>
  causes.map(([cause, command]) => ({ cause, command }));

const verify = (check: string) => `authcli verify --url URL --check ${check}`;
const verifySignIn = (check: string) =>
  `authcli verify --check signin/${check} --signin -- COMMAND`;

const signUp = (flags: string) => `authcli simulate-signup --url URL ${flags}`;

/** The commands that distinguish causes; `URL` and `CODE` are those of the user. */
export const testCommands: Readonly<Record<Test, string>> = {
  probe: 'authcli cipher probe --url URL',
  'latest-key': verify('registration/latest-key'),
  'new-key': verify('key-exchange/new-key-each-time'),
  'no-user-info': signUp('--no-user-info'),
  'plain-name': signUp('--name Kim'),
  'unknown-fields': verify('protocol/ignores-unknown-fields'),
  concurrent: verify('protocol/concurrent-signups'),
  'key-exchange': 'authcli simulate-key-exchange --url URL',
  'same-user': 'authcli simulate-registration --url URL --ptn-cd CODE',
  'own-user': signUp('--ptn-cd CODE'),
  'bare-type': signUp("--header 'Content-Type: application/json'"),
  trace: signUp('--trace'),
  'dry-run': signUp('--dry-run'),
  'stored-key': 'authcli users show CODE --show-secrets',
  'inspect-public-key': 'authcli key inspect PUBLIC_KEY',
  ciphers: 'authcli cipher list',
  doctor: 'authcli doctor --url URL',
  load: 'authcli load --url URL --signups 50',
};

const { probe, trace, doctor, load } = testCommands;
const keyExchange = testCommands['key-exchange'];
const dryRun = testCommands['dry-run'];
const sameUser = testCommands['same-user'];
const inspectKey = testCommands['inspect-public-key'];
const smallBody = testCommands['no-user-info'];
const withHeader = (header: string) => `${keyExchange} --header '${header}'`;
const localDoctor = 'authcli doctor';
const settings = 'authcli config list';
const clientId = 'authcli config get client-id';
const user = 'authcli users show CODE';
const signUpUser = signUp('--ptn-cd CODE');
const newToken = 'authcli issue-ptn-token --ptn-cd CODE';
const token = 'authcli token --ptn-token TOKEN';
const signIn = 'authcli signin --ptn-token TOKEN';
const signInTrace = `${signIn} --trace`;

type OwnText = Omit<Explanation, 'code' | 'kind' | 'causes'> & { readonly causes?: Causes };

function explanationsOf(
  kind: Explanation['kind'],
  texts: Readonly<Record<string, OwnText>>,
): readonly Explanation[] {
  return Object.entries(texts).map(([code, { causes, ...text }]) => ({
    code,
    kind,
    ...text,
    ...(causes && { causes: causeTexts(causes) }),
  }));
}

/** The published codes of errors that are not diagnoses. */
type OwnErrorCode = Exclude<ErrorCode, DiagnosisCode | 'terminated'>;

const errors: Readonly<Record<OwnErrorCode, OwnText>> = {
  usage: {
    title: 'The command line or a setting is invalid',
    meaning: 'A flag, an argument or a setting is missing, unknown or invalid. Nothing was sent.',
    recognised: 'Each value is validated before the command starts.',
    fix: 'The message names the value and what is valid. `authcli COMMAND --help` lists every flag with examples. A value may also come from the environment (AUTHCLI_ and its name) or from the profile: `authcli config list` shows which one is used.',
    example:
      '`authcli simulate-signup --url localhost:8080` has no http:// in front. Exit status 2.',
    causes: [
      ['A flag or value is misspelt or missing.', 'authcli COMMAND --help'],
      ['A setting or environment variable has an invalid value.', settings],
      ['A reference such as env:NAME leads nowhere.', localDoctor],
    ],
  },
  config: {
    title: "The local state can't be read, parsed, locked or written",
    meaning:
      'Settings and users are stored in files in the config folder. One of them is damaged, from a newer release, or not accessible. It was not changed.',
    recognised:
      'The operating system denies access to the file, or its content was not written by authcli.',
    fix: 'Run `authcli doctor`, which checks the files and their modes. Fix a damaged file by hand, or move it away to start anew; AUTHCLI_CONFIG or --config selects another file for a single run.',
    example: 'The disk is full, or a bracket is missing after a manual edit. Exit status 4.',
    causes: [
      ['A file is damaged or has been edited by hand.', localDoctor],
      ['The file belongs to another user, or the disk is full.', 'authcli config path'],
      ['Another process has locked the file.', localDoctor],
    ],
  },
  'unknown-user': {
    title: 'No user with that code is stored',
    meaning: 'The active profile has neither a key nor a passcode for that user.',
    recognised: 'The config folder of the profile has no file for that user.',
    fix: 'Run `authcli users list`; users belong to a profile (--profile). Sign the user up with `authcli simulate-signup --ptn-cd CODE`, or import it with `authcli users import`.',
    example: '`authcli users show bob`, after a sign-up with --no-save. Exit status 1.',
  },
  'not-set': {
    title: 'The setting is not set',
    meaning: 'The setting is valid, but this profile has no value for it.',
    recognised: 'Neither the profile nor the environment has a value.',
    fix: 'Set it: `authcli config set NAME VALUE`.',
    example: '`authcli config get proxy`, where none was set. Exit status 1.',
  },
  'unknown-text': {
    title: 'Not a recognised key format',
    meaning:
      'The text was parsed as Base64, hexadecimal, PEM, DER and JWK, and is neither a key nor a wrapped key.',
    recognised: 'No parser accepts it; the notes show where each one failed.',
    fix: 'Give the complete text from the JSON. A public_key begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
    example: '`authcli key inspect "hello world"`. Exit status 1.',
  },
  'checks-failed': {
    title: 'A run of `verify` failed',
    meaning:
      'Checks failed without a diagnosis code, a known failure no longer fails, or no check could be evaluated.',
    recognised: 'The results of the checks, compared with the file of known failures.',
    fix: 'The report shows what each check expected and observed, and which entries of --expect can be removed; --update-expect rewrites the file.',
    example: 'A check was fixed, but --expect still lists it. Exit status 1.',
  },
  'threshold-missed': {
    title: 'A load missed a threshold',
    meaning:
      'A limit on latency, failures or rate (--max-p99, --max-errors, --min-rate and the like) was exceeded, or nothing was measured.',
    recognised: 'Each limit is compared with the result of the whole run.',
    fix: 'The message names the limit and the measured value. --report html=FILE shows when it was exceeded. If authcli itself was the bottleneck, it says so: use another machine or a lower rate.',
    example:
      '`authcli load --rate 500 --max-p99 50ms`, and the application takes 80 ms. Exit status 1.',
  },
  interrupted: {
    title: 'The run was interrupted',
    meaning:
      'It was interrupted (Ctrl-C, SIGINT) or terminated (SIGTERM). The run did not finish; reports were still written.',
    recognised: 'The signal.',
    fix: 'Run it again. If it seemed to hang, --trace shows what it waited for, and --timeout limits each request.',
    example: 'A CI job reached its time limit. Exit status 130 or 143.',
  },
  internal: {
    title: 'A bug in authcli',
    meaning: 'An unexpected error in authcli; it says nothing about your application.',
    recognised: 'An error without a code.',
    fix: 'Run the same command with --verbose and report the bug with the lines that begin with "bug:" (versions, the command line and the stack trace). Secrets are redacted in them, even with --show-secrets, but read them before you share them. --trace adds the requests and responses.',
    example: 'Exit status 70.',
  },
};

export const errorExplanations = explanationsOf('error', errors);

/** The fields of the interface, by their names on the wire. */
export const fieldExplanations = explanationsOf('field', {
  client_id: {
    title: 'The Application Client ID',
    meaning: 'In every request. A callback with another client id is not for this application.',
    fix: 'Compare it exactly, and refuse any other.',
    section: '2.1',
    causes: [
      ['The application expects another id than authcli sends.', clientId],
      ['The application accepts every id.', verify('key-exchange/rejects-foreign-client')],
      ['The service refuses it together with secret_key.', signInTrace],
    ],
  },
  secret_key: {
    title: 'The secret key of the application server',
    meaning: 'Only in requests to {auth_url}, in the JSON body, together with client_id (5.1).',
    fix: 'Send it from the server only, in the body, never in a URL, header or callback.',
    section: '5',
    causes: [
      ['It is not the key of this client_id.', signInTrace],
      ['It is sent in a header or URL.', verifySignIn('secret-in-body-only')],
      ['A reference such as env:NAME leads to another value.', localDoctor],
    ],
  },
  ptn_cd: {
    title: 'The application user code',
    meaning:
      'The code under which the application knows the user; keys and passcodes belong to it.',
    fix: 'Store and look up by the whole code, compared exactly.',
    section: '2.1',
    causes: [
      ['Codes are compared without case, trimmed or cut.', verify('protocol/exact-user-code')],
      ['The application knows only its own users.', signUpUser],
      ['The keys of two users are mixed up.', verify('registration/key-of-that-user')],
    ],
  },
  used_type: {
    title: 'The kind of callback',
    meaning: '"1" is the key exchange and "2" is registration complete, both at the same URL.',
    fix: 'Branch on the strings "1" and "2", and refuse any other.',
    section: '2.1',
    causes: [
      ['It is compared with a number: it is a string.', trace],
      ['One handler expects the fields of both kinds.', keyExchange],
      ['An unknown value is accepted.', verify('protocol/rejects-unknown-used-type')],
    ],
  },
  public_key: {
    title: 'The RSA public key of a key exchange',
    meaning:
      'Base64 of a DER SubjectPublicKeyInfo, without PEM header lines. The application encrypts the per-user key with it.',
    fix: 'Decode the Base64 text and read the bytes as SubjectPublicKeyInfo, in each key exchange anew.',
    section: '2.2',
    causes: [
      ['The library expects PEM, or PKCS #1.', inspectKey],
      ['An earlier public key is used instead.', verify('key-exchange/rotated-public-key')],
      ['A key of 4096 bits is too long for a column.', verify('key-exchange/key-sizes')],
    ],
  },
  enc_partner_key: {
    title: 'The per-user key, encrypted',
    meaning:
      'In result of a key exchange: 32 random characters, encrypted with public_key (PKCS #1 v1.5), as Base64.',
    fix: 'Encrypt the 32 characters with PKCS #1 v1.5 and send the Base64 on one line.',
    section: '2.2',
    causes: [
      ['It is encrypted with OAEP or with another key.', keyExchange],
      ['It is hexadecimal, base64url, or has line breaks.', verify('key-exchange/strict-base64')],
      ['The key inside does not have 32 characters.', verify('key-exchange/key-length')],
    ],
  },
  partner_sp: {
    title: 'The Super Passcode at registration, encrypted',
    meaning:
      'Encrypted with the per-user key; the application decrypts it and stores the result for sign-ins.',
    fix: 'Decrypt it with the key of this ptn_cd, under the cipher that the service specifies.',
    section: '4.1.2',
    causes: [
      ['The application decrypts with another cipher, mode or IV.', probe],
      ['It uses an older key or that of another user.', verify('registration/latest-key')],
      ['It stores the field undecrypted.', verify('registration/rejects-undecryptable')],
    ],
  },
  ubifill: {
    title: 'The user information, encrypted',
    meaning:
      'Optional, encrypted like partner_sp. Decrypted it has email, name and phone; its format is not specified.',
    fix: 'Treat it as optional, and do not fail the registration for its format.',
    section: '2.3',
    causes: [
      ['The application expects another format or other fields.', smallBody],
      ['It requires the field.', verify('registration/without-user-info')],
      ['Names outside ASCII are damaged.', verify('registration/unicode-user-info')],
    ],
  },
  ptn_token: {
    title: 'The application authentication token',
    meaning: 'Made by the client library on the device, for one sign-in of one user.',
    fix: 'Pass it on unchanged to {auth_url}/process/token, soon.',
    section: '2.1',
    causes: [
      ['It has expired.', token],
      ['It was issued for another client.', signInTrace],
      ['It is of another user.', `${signIn} --ptn-cd CODE`],
    ],
  },
  acs_token: {
    title: 'The access token',
    meaning: 'From /process/token, for one call of /process/authenticate before expire_dt.',
    fix: 'Send it once, unchanged, in the body.',
    section: '4.2.2',
    causes: [
      ['It has expired.', token],
      ['It was used before.', signIn],
      ['It was changed or cut on its way.', 'authcli authenticate --acs-token TOKEN --trace'],
    ],
  },
  expire_dt: {
    title: 'The expiry of the access token',
    meaning: '14 digits, yyyyMMddHH24miss; the time zone is not specified.',
    fix: 'Set the time zone of the service, or rely on the response to authenticate.',
    section: '2.1',
    causes: [
      ['It is read in another time zone.', token],
      ['The clock of this machine is wrong.', localDoctor],
      ['It is formatted with hh (12 hours) or kk (1 to 24).', 'authcli help decisions'],
    ],
  },
  ptn_sp: {
    title: 'The Super Passcode at a sign-in, encrypted',
    meaning:
      'From /process/authenticate. Decrypted with the per-user key it must equal the stored partner_sp.',
    fix: 'Decrypt it with the key of the user, and compare it exactly with the stored passcode.',
    section: '4.2.2',
    causes: [
      ['The stored key or passcode is not the latest.', user],
      ['It is decrypted under another cipher.', 'authcli cipher identify PTN_SP --ptn-cd CODE'],
      ['The passcode was cut when it was stored.', `${signIn} --expect-passcode PASSCODE`],
    ],
  },
  code: {
    title: 'The result code',
    meaning: 'A string; "0000" is success, and any other value is a refusal.',
    fix: 'Send the string "0000" exactly when the operation has succeeded.',
    section: '7',
    causes: [
      ['It is a number: leading zeros are lost.', verify('key-exchange/response-shape')],
      ['Another value is intended as success.', keyExchange],
      ['The application refuses; message says why.', trace],
    ],
  },
  message: {
    title: 'The text beside the code',
    meaning:
      'In every response; it may be empty. authcli recognises error texts of libraries in it.',
    fix: 'Send it always, with the reason where code is not "0000".',
    section: '7',
    causes: [
      ['It is missing, or called msg.', verify('registration/response-shape')],
      ['It is null instead of an empty string.', verify('protocol/error-shape')],
      ['It quotes an error of a library.', "authcli explain 'TEXT'"],
    ],
  },
  result: {
    title: 'The payload of a response',
    meaning: 'An object with the fields of the operation; a refusal and a registration have none.',
    fix: 'Put the fields of the operation into an object named result.',
    section: '4',
    causes: [
      ['The fields are beside code instead of in result.', verify('key-exchange/response-shape')],
      ['It is a string that contains JSON.', keyExchange],
      ['It is null because the operation failed.', dryRun],
    ],
  },
});

type StatusText = readonly [title: string, ...causes: Causes];

const statuses: Readonly<Record<number, StatusText>> = {
  200: [
    'OK: the body decides',
    ['Code "0000" in the body is success.', keyExchange],
    ['Another code is a refusal, even with status 200.', signUp('')],
    ['HTML with status 200: the URL leads to a web page.', doctor],
  ],
  204: [
    'No Content: the response has no body',
    ['The handler returns nothing.', trace],
    ['A framework maps null to 204.', trace],
    ['Only one of the two callbacks returns JSON.', keyExchange],
  ],
  301: redirect('Moved Permanently'),
  302: redirect('Found'),
  303: redirect('See Other'),
  307: redirect('Temporary Redirect'),
  308: redirect('Permanent Redirect'),
  400: [
    'Bad Request: the framework or the handler refused the request',
    ['A field that the model requires is absent, or has another name.', dryRun],
    ['The body could not be parsed: charset, Content-Type or a consumed stream.', keyExchange],
    ['The Host header is not in the list of allowed hosts.', doctor],
  ],
  401: [
    'Unauthorized: something in front requires a login',
    ['The login of the framework covers the path.', doctor],
    ['A gateway expects credentials.', withHeader('Authorization: …')],
    ['The handler itself checks a signature or token.', trace],
  ],
  403: [
    'Forbidden: something in front refuses',
    ['CSRF protection covers the path.', doctor],
    ['A filter allows only certain IP addresses.', doctor],
    ['A firewall rejects Base64 or the user agent.', withHeader('User-Agent: service')],
  ],
  404: [
    'Not Found: nothing is mounted at this path',
    ['The path of the URL is not the route: check prefix and spelling.', doctor],
    ['The application or the port is another one.', `${doctor} --verbose`],
    ['The handler itself returns 404, for example for an unknown user.', trace],
  ],
  405: [
    'Method Not Allowed: the route does not accept POST',
    ['The route is registered for GET only.', keyExchange],
    ['A redirect or proxy turned the request into another route.', doctor],
    ['The path is that of a static page.', trace],
  ],
  406: [
    'Not Acceptable: the framework cannot write the response',
    ['The handler produces another type than JSON.', trace],
    ['The serialiser for JSON is missing.', keyExchange],
    ['The Accept header is evaluated too strictly.', withHeader('Accept: application/json')],
  ],
  413: [
    'Content Too Large: a limit is below the size of a callback',
    ['A proxy limits bodies (nginx client_max_body_size).', smallBody],
    ['The body parser of the framework has a limit.', smallBody],
    ['A public key of 4096 bits exceeds it.', `${keyExchange} --key-bits 4096`],
  ],
  415: [
    'Unsupported Media Type: the handler does not accept the Content-Type',
    ['The handler accepts form data only.', trace],
    ['It refuses a charset beside the type.', withHeader('Content-Type: application/json')],
    ['The JSON body parser is not installed.', keyExchange],
  ],
  419: [
    'Page Expired: CSRF protection of Laravel',
    ['The route is in the group "web" instead of "api".', keyExchange],
    ['The path is not in the exceptions of the CSRF check.', doctor],
    ['A login covers the path.', trace],
  ],
  422: [
    'Unprocessable Content: the framework refused the fields',
    ['A model requires fields of the other callback.', keyExchange],
    ['ubifill is required.', smallBody],
    ['Unknown fields are refused.', testCommands['unknown-fields']],
  ],
  429: [
    'Too Many Requests: something limits the rate',
    ['A gateway limits requests per address.', load],
    ['The framework throttles the route.', `${load} --rate 1`],
    ['Earlier runs have used up the quota.', keyExchange],
  ],
  500: [
    'Internal Server Error: the application failed',
    ['It failed to decrypt: another cipher or key.', probe],
    ['The key of the user was not found, or a field is null.', sameUser],
    ['A database or other server of its own failed.', keyExchange],
  ],
  502: gateway('Bad Gateway: the proxy got no valid response from the application'),
  503: gateway('Service Unavailable: no application is behind the proxy'),
  504: gateway('Gateway Timeout: the application took too long for the proxy'),
};

function redirect(name: string): StatusText {
  return [
    `${name}: the response is a redirect`,
    ['The URL should begin with https://, or with another host.', doctor],
    ['The path lacks a slash at its end, or has one too many.', doctor],
    ['A login covers the path.', trace],
  ];
}

function gateway(title: string): StatusText {
  return [
    title,
    ['The application behind it is not running, or starting.', 'authcli verify --wait 60s'],
    ['The proxy forwards to another port.', doctor],
    ['The handler takes longer than the proxy waits, or crashed.', load],
  ];
}

/** HTTP statuses of a callback, by their number. */
export const statusExplanations: readonly Explanation[] = Object.entries(statuses).map(
  ([status, [title, ...causes]]) => ({
    code: status,
    kind: 'HTTP status',
    title,
    meaning:
      'The interface specifies no HTTP statuses (section 4): the body decides. A status without a JSON body mostly comes from a framework or proxy, not from the handler.',
    fix:
      hintOfStatus(Number(status)) ??
      (status === '200'
        ? 'Read code and message in the body.'
        : 'Register the URL that responds itself: https instead of http, with or without the final slash.'),
    causes: causeTexts(causes),
  }),
);

/** By the status, an error that ends with it, or what is said of it. */
const exits: Readonly<Record<number, OwnErrorCode | Omit<OwnText, 'title'>>> = {
  0: {
    meaning:
      'Everything that was requested was done. A warning is not a failure, unless with --strict.',
    fix: 'Nothing to fix.',
  },
  1: {
    meaning:
      "The application or the service refused or failed, a response is wrong, a key can't be decrypted, or a check failed.",
    fix: 'Read cause and fix on standard error; with --json they are in `error`.',
  },
  2: 'usage',
  3: {
    meaning: 'No response arrived: DNS, a refused connection, TLS, a proxy or a time limit.',
    fix: 'Start the server, or correct the URL, certificate or proxy that the message names.',
    causes: [
      ['Nothing listens at that address.', doctor],
      ['The certificate is not trusted, or TLS is not spoken there.', doctor],
      ['It took longer than --timeout.', signUp('--timeout 60s')],
    ],
  },
  4: 'config',
  70: 'internal',
  130: 'interrupted',
  143: 'interrupted',
};

/** The exit statuses of authcli, by their number. */
export const exitExplanations = explanationsOf(
  'exit status',
  Object.fromEntries(
    exitStatusMeanings.map(([status, title]) => {
      const text = exits[status] ?? 'internal';
      const { meaning, fix, causes } = typeof text === 'string' ? errors[text] : text;
      return [status, { title: capitalised(title), meaning, fix, ...(causes && { causes }) }];
    }),
  ),
);

/** By the code of the emulators; what both have in common without its letter. */
const codeCauses: Readonly<Record<string, Causes>> = {
  101: [
    ['The body is form-encoded or empty.', signInTrace],
    ['The text is not UTF-8, or begins with a byte order mark.', signInTrace],
    ['A field occurs twice.', signInTrace],
  ],
  102: [
    ['The name differs: underscores on the wire, camelCase in the code.', signInTrace],
    ['The value is empty because a setting is not set.', settings],
    ['The serialiser leaves the field out.', signInTrace],
  ],
  103: [
    ['A number is sent instead of a string.', signInTrace],
    ['The value is null.', settings],
    ['An object is sent instead of its text.', signInTrace],
  ],
  901: [
    ['The client follows a redirect with GET.', signInTrace],
    ['The URL was opened in a browser.', doctor],
    ['The client uses PUT.', signInTrace],
  ],
  902: [
    ['The client sets no Content-Type for a text body.', signInTrace],
    ['The charset is missing or another one.', signInTrace],
    ['The body is sent as a form.', signInTrace],
  ],
  903: [
    ['A whole record or file is sent along.', signInTrace],
    ['A value is encoded several times.', signInTrace],
    ['Another request is sent to this URL.', doctor],
  ],
  A104: [
    ['It is sent as a number.', dryRun],
    ['The field is missing.', dryRun],
    ['The value is that of another version.', trace],
  ],
  A105: [
    ['Service and application are set to different client ids.', settings],
    ['The profile has another client id.', clientId],
    ['The value has spaces or a line end.', dryRun],
  ],
  A106: [
    ['The text is PEM or has line breaks.', inspectKey],
    ['It is PKCS #1 instead of SubjectPublicKeyInfo.', inspectKey],
    ['The modulus is too small for 32 characters.', inspectKey],
  ],
  A107: [
    ['No key exchange preceded this registration.', signUpUser],
    ['The emulator was restarted: it keeps users in memory.', signUpUser],
    ['The ptn_cd differs from that of the key exchange.', dryRun],
  ],
  A108: [
    ['Both sides are set to different ciphers.', probe],
    ['The key is not that of the latest key exchange.', sameUser],
    ['The payload was changed: "+" became a space, or it was cut.', trace],
  ],
  A900: [
    ['The path of the URL is not that of the emulated application.', doctor],
    ['A proxy adds or removes a part of the path.', trace],
    ['The URL is that of the service.', settings],
  ],
  E104: [
    ['The emulator was started with another secret key or client id.', settings],
    ['The environment of the application has another value.', settings],
    ['The value has quotation marks, spaces or a line end.', signInTrace],
  ],
  E105: [
    ['secret_key is sent as a header, such as Authorization.', signInTrace],
    ['It is part of the URL or its query.', signInTrace],
    ['A client library adds it by itself.', verifySignIn('secret-in-body-only')],
  ],
  E201: [
    ['It was issued under another client id or secret key.', newToken],
    ['It is of another service, such as production.', settings],
    ['It was changed or cut on its way.', signInTrace],
  ],
  E202: [
    ['More time passed than --token-ttl allows.', newToken],
    ['A stored token was used again.', newToken],
    ['The clocks of the two machines differ.', localDoctor],
  ],
  E203: [
    ['The user has not signed up at this emulator.', signUpUser],
    ['The sign-up is in another profile.', 'authcli users list'],
    ['The ptn_cd of the token is misspelt.', newToken],
  ],
  E204: [
    ['Only the key exchange was done.', sameUser],
    ['The registration was refused.', signUpUser],
    ['The user was imported without a passcode.', user],
  ],
  E301: [
    ['The ptn_token was sent instead.', signInTrace],
    ['It is of an earlier run of the emulator.', token],
    ['It was changed or cut on its way.', signInTrace],
  ],
  E302: [
    ['The application waited too long before authenticating.', token],
    ['An access token was kept from an earlier sign-in.', token],
    ['The emulator runs with a short --token-ttl.', 'authcli emulate service --token-ttl 10m'],
  ],
  E303: [
    ['It authenticates twice for one sign-in.', verifySignIn('acs-token-once')],
    ['A retry sends the same token again.', verifySignIn('no-retry-storm')],
    ['Two sign-ins share one access token.', signInTrace],
  ],
  E900: [
    ['{auth_url} has a path of its own that is missing here.', 'authcli config get auth-url'],
    ['A slash is missing or doubled between {auth_url} and /process.', signInTrace],
    ['The path is misspelt.', signInTrace],
  ],
  E990: [
    ['The keys do not fit the cipher of the emulator.', keyExchange],
    ['Emulator and application are set to different ciphers.', testCommands.ciphers],
    ['The user was stored with another key by hand.', user],
  ],
};

/** The likely causes of a code of the emulators. */
export function causesOfCode(code: string): readonly LikelyCauseText[] {
  return causeTexts(codeCauses[code] ?? codeCauses[code.slice(1)] ?? []);
}
