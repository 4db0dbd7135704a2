import type { LikelyCauseText } from '../../reports/explanation.ts';
import { type Causes, causeTexts, testCommands } from './tests.ts';

const trace = 'authcli signin --ptn-token TOKEN --trace';
const token = 'authcli token --ptn-token TOKEN';
const newToken = 'authcli issue-ptn-token --ptn-cd CODE';
const user = 'authcli users show CODE';
const signUp = 'authcli simulate-signup --url URL --ptn-cd CODE';
const settings = 'authcli config list --origin';

/** What a request that the emulators refuse has in common, on either side. */
const ofRequests = {
  'not-json': [
    ['The body is form-encoded or empty.', trace],
    ['The text is not UTF-8, or begins with a byte order mark.', trace],
    ['A field occurs twice.', trace],
  ],
  'field-missing': [
    ['The name differs: underscores on the wire, camelCase in the code.', trace],
    ['The value is empty because a setting is not set.', settings],
    ['The serialiser leaves the field out.', trace],
  ],
  'field-type': [
    ['A number is sent instead of a string.', trace],
    ['The value is null.', settings],
    ['An object is sent instead of its text.', trace],
  ],
  method: [
    ['The client follows a redirect with GET.', trace],
    ['The URL was opened in a browser.', testCommands.doctor],
    ['The client uses PUT.', trace],
  ],
  'content-type': [
    ['The client sets no Content-Type for a text body.', trace],
    ['The charset is missing or another one.', trace],
    ['The body is sent as a form.', trace],
  ],
  'body-too-large': [
    ['A whole record or file is sent along.', trace],
    ['A value is encoded several times.', trace],
    ['Another request is sent to this URL.', testCommands.doctor],
  ],
} as const satisfies Readonly<Record<string, Causes>>;

/** By the code of the emulators. */
const causes: Readonly<Record<string, Causes>> = {
  A101: ofRequests['not-json'],
  A102: ofRequests['field-missing'],
  A103: ofRequests['field-type'],
  A104: [
    ['It is sent as a number.', testCommands['dry-run']],
    ['The field is missing.', testCommands['dry-run']],
    ['The value is that of another version.', testCommands.trace],
  ],
  A105: [
    ['Service and application are set to different client ids.', settings],
    ['The profile has another client id.', 'authcli config get client-id'],
    ['The value has spaces or a line end.', testCommands['dry-run']],
  ],
  A106: [
    ['The text is PEM or has line breaks.', testCommands['inspect-public-key']],
    ['It is PKCS #1 instead of SubjectPublicKeyInfo.', testCommands['inspect-public-key']],
    ['The modulus is too small for 32 characters.', testCommands['inspect-public-key']],
  ],
  A107: [
    ['No key exchange preceded this registration.', signUp],
    ['The emulator was restarted: it keeps users in memory.', signUp],
    ['The ptn_cd differs from that of the key exchange.', testCommands['dry-run']],
  ],
  A108: [
    ['Both sides are set to different ciphers.', testCommands.probe],
    ['The key is not that of the latest key exchange.', testCommands['same-user']],
    ['The payload was changed: "+" became a space, or it was cut.', testCommands.trace],
  ],
  A900: [
    ['The path of the URL is not that of the emulated application.', testCommands.doctor],
    ['A proxy adds or removes a part of the path.', testCommands.trace],
    ['The URL is that of the service.', settings],
  ],
  A901: ofRequests.method,
  A902: ofRequests['content-type'],
  A903: ofRequests['body-too-large'],
  E101: ofRequests['not-json'],
  E102: ofRequests['field-missing'],
  E103: ofRequests['field-type'],
  E104: [
    ['The emulator was started with another secret key or client id: it prints both.', settings],
    [
      'The environment or profile of the application has another value.',
      'authcli config list --origin',
    ],
    ['The value has quotation marks, spaces or a line end.', trace],
  ],
  E105: [
    ['secret_key is sent as a header, such as Authorization.', trace],
    ['It is part of the URL or its query.', trace],
    [
      'A client library adds it by itself.',
      'authcli verify --check signin/secret-in-body-only --signin -- COMMAND',
    ],
  ],
  E201: [
    ['It was issued under another client id or secret key.', newToken],
    ['It is of another service, such as production.', settings],
    ['It was changed or cut on its way.', trace],
  ],
  E202: [
    ['More time passed than --token-ttl allows.', newToken],
    ['A stored token was used again.', newToken],
    ['The clocks of the two machines differ.', 'authcli doctor'],
  ],
  E203: [
    ['The user has not signed up at this emulator.', signUp],
    ['The sign-up is in another profile.', 'authcli users list'],
    ['The ptn_cd of the token is misspelt.', newToken],
  ],
  E204: [
    ['Only the key exchange was done.', testCommands['same-user']],
    ['The registration was refused.', signUp],
    ['The user was imported without a passcode.', user],
  ],
  E301: [
    ['The ptn_token was sent instead.', trace],
    ['It is of an earlier run of the emulator.', token],
    ['It was changed or cut on its way.', trace],
  ],
  E302: [
    ['The application waited too long before authenticating.', token],
    ['An access token was kept from an earlier sign-in.', token],
    ['The emulator runs with a short --token-ttl.', 'authcli emulate service --token-ttl 10m'],
  ],
  E303: [
    [
      'The application authenticates twice for one sign-in.',
      'authcli verify --check signin/acs-token-once --signin -- COMMAND',
    ],
    [
      'A retry sends the same token again.',
      'authcli verify --check signin/no-retry-storm --signin -- COMMAND',
    ],
    ['Two sign-ins share one access token.', trace],
  ],
  E900: [
    ['{auth_url} has a path of its own that is missing here.', 'authcli config get auth-url'],
    ['A slash is missing or doubled between {auth_url} and /process.', trace],
    ['The path is misspelt.', trace],
  ],
  E901: ofRequests.method,
  E902: ofRequests['content-type'],
  E903: ofRequests['body-too-large'],
  E990: [
    [
      'The application makes keys that the cipher of the emulator does not take.',
      testCommands['key-exchange'],
    ],
    ['Emulator and application are set to different ciphers.', testCommands.ciphers],
    ['The user was stored with another key by hand.', user],
  ],
};

/** The likely causes of a code of the emulators. */
export function causesOfCode(code: string): readonly LikelyCauseText[] {
  return causeTexts(causes[code] ?? []);
}
