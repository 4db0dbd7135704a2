import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import type { Calls, Stack } from '../../src/errors.ts';
import {
  authcli,
  type Change,
  type Example,
  scratchFolder,
  withExample,
} from '../support/example-application.ts';

/*
 * The applications of examples/, whose refusals say nothing, with one thing that people write instead: the experiment
 * that explains it, and the call that is printed, put into the application.
 */

interface Output {
  readonly ok: boolean;
  readonly error?: {
    readonly message: string;
    readonly calls: Calls;
    readonly evidence?: Evidence;
  };
}
type Evidence = { readonly experiment?: string };

/** The changes, the experiment, more flags, and how the printed call takes the place of the last change. */
type Row = readonly [
  experiment: string,
  changes: readonly Change[],
  fixed?: (call: string) => string,
  flags?: readonly string[],
];

const python: Example = {
  folder: 'python',
  file: 'application.py',
  command: ['python3', 'application.py'],
};
const table = '{"1": exchange_key, "2": register}[fields["used_type"]](fields)';
const handled = 'self.respond(200, handle(json.loads(body)))';
const imported = 'serialization import load_der_public_key';
const loaded = 'load_der_public_key(base64.b64decode(public_key))';
const stored = 'users[fields["ptn_cd"]] = {"key": key}';
const opened = 'passcode = decrypt(fields["partner_sp"], key)';
const typed = 'handle, status, refusal = ROUTES[self.path]';
const ifExact =
  'if self.headers["Content-Type"] != "application/json": return self.respond(400, {})';
const later =
  'threading.Timer(0.5, lambda: users.update({fields["ptn_cd"]: {"key": key}})).start()';
const asBody = (call: string) => call.replaceAll('body', 'fields');
const pythonRows: readonly Row[] = [
  [
    'used-type-number',
    [[table, table.replace('"1"', '1').replace('"2"', '2')]],
    (call) => `(exchange_key if ${asBody(call)} else register)(fields)`,
  ],
  [
    'public-key-pem',
    [
      [imported, `${imported}, load_pem_public_key`],
      [loaded, 'load_pem_public_key(public_key.encode())'],
    ],
    (call) => call,
  ],
  ['content-type', [[typed, `${typed}\n        ${ifExact}`]]],
  ['form', [[handled, 'self.respond(200, handle(dict(urllib.parse.parse_qsl(body.decode()))))']]],
  ['without-user-info', [['json.loads(decrypt(fields["ubifill"], key))', 'json.loads("")']]],
  ['with-user-info', [['if "ubifill" in fields else None', '']], undefined, ['--no-user-info']],
  ['never-exchanged', [[stored, `dict(users)[fields["ptn_cd"]] = {"key": key}`]]],
  [
    'pause',
    [
      ['import sys', 'import sys, threading'],
      [stored, later],
    ],
  ],
  ['path-slash', [['"/callback": (', '"/callback/": (']]],
  ['user-code-digits', [[stored, `users[str(int(fields["ptn_cd"]))] = {"key": key}`]]],
  ['short-passcode', [[opened, `${opened}\n    assert len(passcode) <= 16`]]],
  [
    'ascii',
    [['unpadder.finalize()).decode()', 'unpadder.finalize()).decode("ascii")']],
    undefined,
    ['--name', 'Zoë'],
  ],
];

const php: Example = {
  folder: 'php',
  file: 'application.php',
  command: ['php', '-S', '127.0.0.1:0', 'application.php'],
};
const key = "loadUser($ptnCd)['key']";
const phpRows: readonly Row[] = [
  [
    'form',
    [["$fields = json_decode(file_get_contents('php://input'), true);", '$fields = $_POST;']],
    asBody,
  ],
  [
    'public-key-pem',
    [['openssl_pkey_get_public($pem)', 'openssl_pkey_get_public($publicKey)']],
    (call) => call,
  ],
  [
    'cookie',
    [
      [
        "saveUser(required($fields, 'ptn_cd'), ['key' => $key]);",
        "session_start();$_SESSION['k'] = $key;",
      ],
      [
        `$user = ['key' => ${key}];`,
        "session_start();$user = ['key' => $_SESSION['k'] ?? 'none'];",
      ],
    ],
  ],
];

const node: Example = {
  folder: 'node',
  file: 'application.mjs',
  command: [process.execPath, 'http.mjs'],
};
const nodeRows: readonly Row[] = [
  [
    'used-type-number',
    [
      ["fields.used_type === '2'", "fields.used_type !== '1'"],
      ["fields.used_type === '1'", 'fields.used_type === 1'],
    ],
    asBody,
  ],
  ['public-key-pkcs1', [["type: 'spki'", "type: 'pkcs1'"]]],
];

for (const [stack, example, rows] of [
  ['python', python, pythonRows],
  ['php', php, phpRows],
  ['node', node, nodeRows],
] as const satisfies readonly (readonly [Stack, Example, readonly Row[]])[]) {
  describe(`refusals without a reason: ${stack}`, { skip: notInstalled(example.folder) }, () => {
    const scratch = scratchFolder();
    const signUp = (changes: readonly Change[], flags: readonly string[]) =>
      withExample(example, scratch, { changes }, async (url) => {
        const to = ['--url', `${url}/callback`, '--probe'];
        return (await authcli<Output>(['simulate-signup', ...to, ...flags], scratch)).output;
      });
    for (const [experiment, changes, fixed, flags = []] of rows) {
      it(`are explained by ${experiment}`, async () => {
        const { error } = await signUp(changes, flags);
        assert.equal(error?.evidence?.experiment, experiment, error?.message);
        const call = error.calls[stack];
        const last = changes.at(-1);
        if (fixed === undefined || last === undefined) return;
        assert.ok(call, 'a call is printed');
        const mended: Change = [last[0], fixed(call)];
        const { ok } = await signUp([...changes.slice(0, -1), mended], flags);
        assert.ok(ok, `${mended[1]} does not help`);
      });
    }
  });
}
