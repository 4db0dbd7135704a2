import type { Test } from '../../diagnosis/error-situations.ts';
import type { LikelyCauseText } from '../../reports/explanation.ts';

/** What goes wrong, the likeliest first, each with the command that shows it. */
export type Causes = readonly (readonly [cause: string, command: string])[];

/** The causes as an explanation has them. */
export function causeTexts(causes: Causes): readonly LikelyCauseText[] {
  return causes.map(([cause, command]) => ({ cause, command }));
}

/** A run of one check of the callback endpoint. */
export const verify = (check: string) => `authcli verify --url URL --check ${check}`;
const signUp = (flags: string) => `authcli simulate-signup --url URL ${flags}`;

/** The commands that distinguish causes; `URL` and `CODE` are those of the user. */
export const testCommands: Readonly<Record<Test, string>> = {
  probe: 'authcli cipher probe --url URL',
  'latest-key': verify('registration/latest-key'),
  'new-key': verify('key-exchange/new-key-each-time'),
  'no-user-info': signUp('--no-user-info'),
  'plain-name': signUp('--name Kim'),
  'short-passcode': signUp('--super-passcode 1234'),
  'exact-code': verify('protocol/exact-user-code'),
  'unknown-fields': verify('protocol/ignores-unknown-fields'),
  'rotated-key': verify('key-exchange/rotated-public-key'),
  concurrent: verify('protocol/concurrent-signups'),
  'key-exchange': 'authcli simulate-key-exchange --url URL',
  'same-user': 'authcli simulate-registration --url URL --ptn-cd CODE',
  trace: signUp('--trace'),
  'dry-run': signUp('--dry-run'),
  'stored-key': 'authcli users show CODE --show-secrets',
  'inspect-public-key': 'authcli key inspect PUBLIC_KEY',
  ciphers: 'authcli cipher list',
  gcm: signUp('--cipher aes-256-gcm'),
  salted: signUp(`--cipher 'aes-256-cbc?key=evp-md5'`),
  doctor: 'authcli doctor --url URL',
  load: 'authcli load --url URL --signups 50',
};
