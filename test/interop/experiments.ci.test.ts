import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import {
  authcli,
  type Change,
  type Example,
  scratchFolder,
  withExample,
} from '../support/example-application.ts';

/*
 * The applications of examples/, whose refusals say nothing, with one thing that people write instead, and the
 * experiment that explains it; refusals.ci.test.ts has the others.
 */

interface Output {
  readonly ok: boolean;
  readonly error?: {
    readonly message: string;
    readonly evidence?: Evidence;
  };
}
type Evidence = { readonly experiment?: string };

type Row = readonly [experiment: string, changes: readonly Change[], flags?: readonly string[]];

const python: Example = {
  folder: 'python',
  file: 'application.py',
  command: ['python3', 'application.py'],
};
const stored = 'users[fields["ptn_cd"]] = {"key": key}';
const opened = 'passcode = decrypt(fields["partner_sp"], key)';
const typed = 'handle, status, refusal = ROUTES[self.path]';
const ifExact =
  'if self.headers["Content-Type"] != "application/json": return self.respond(400, {})';
const later =
  'threading.Timer(0.5, lambda: users.update({fields["ptn_cd"]: {"key": key}})).start()';
const pythonRows: readonly Row[] = [
  ['content-type', [[typed, `${typed}\n        ${ifExact}`]]],
  ['with-user-info', [['if "ubifill" in fields else None', '']], ['--no-user-info']],
  ['never-exchanged', [[stored, `dict(users)[fields["ptn_cd"]] = {"key": key}`]]],
  [
    'pause',
    [
      ['import sys', 'import sys, threading'],
      [stored, later],
    ],
  ],
  ['path-slash', [['"/callback": (', '"/callback/": (']]],
  ['short-passcode', [[opened, `${opened}\n    assert len(passcode) <= 16`]]],
  [
    'ascii',
    [['unpadder.finalize()).decode()', 'unpadder.finalize()).decode("ascii")']],
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

for (const [example, rows] of [
  [python, pythonRows],
  [php, phpRows],
] as const) {
  const { folder } = example;
  describe(`refusals without a reason: ${folder}`, { skip: notInstalled(folder) }, () => {
    const scratch = scratchFolder();
    for (const [experiment, changes, flags = []] of rows) {
      it(`are explained by ${experiment}`, async () => {
        const error = await withExample(example, scratch, { changes }, async (url) => {
          const argv = ['simulate-signup', '--url', `${url}/callback`, '--probe', ...flags];
          return (await authcli<Output>(argv, scratch)).output.error;
        });
        assert.equal(error?.evidence?.experiment, experiment, error?.message);
      });
    }
  });
}
