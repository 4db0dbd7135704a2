import type { DiagnosisCode, ErrorCode } from '../../errors.ts';
import type { Explanation } from '../../reports/explanation.ts';

/** The codes of errors that are no diagnosis of the other side, as they are published. */
type OwnErrorCode = Exclude<ErrorCode, DiagnosisCode | 'terminated'>;

const entries: Readonly<Record<OwnErrorCode, Omit<Explanation, 'code' | 'kind'>>> = {
  usage: {
    title: 'The command line or a setting can not be used',
    meaning: 'A flag, an argument or a setting is missing, unknown or wrong. Nothing was sent.',
    recognised: 'Before the command starts, each value is read by what it has to be.',
    mend: 'The message names the value, and the hint what would be right. `authcli COMMAND --help` shows every flag with examples. A value may also come from the environment (AUTHCLI_ and its name) or from the profile: `authcli config list --origin` says which is in force.',
    example: 'authcli simulate-signup --url localhost:8080 has no http:// in front. Exit status 2.',
  },
  config: {
    title: 'The local state can not be read, parsed, locked or written',
    meaning:
      'Settings and users are kept in files below the config folder. One of them is damaged, of a newer release, or not accessible. It was left as it is.',
    recognised: 'The system refuses the file, or what stands in it is not what authcli writes.',
    mend: 'Run `authcli doctor`, which checks the files and their modes. A damaged file is set aside, as it is, by `authcli doctor --mend`; AUTHCLI_CONFIG or --config names another one for a single run.',
    example: 'The disk is full, or the file was edited by hand and lost a bracket. Exit status 4.',
  },
  'unknown-user': {
    title: 'No user of that code is known here',
    meaning: 'The profile in use has no key and no passcode of that user.',
    recognised: 'There is no file of that user below the config folder of the profile.',
    mend: 'Look with `authcli users list`; users belong to a profile (--profile). Sign the user up with `authcli simulate-signup --ptn-cd CODE`, or take it over with `authcli users import`.',
    example: 'authcli users show bob, after a sign-up with --no-save. Exit status 1.',
  },
  'not-set': {
    title: 'The profile has no such setting',
    meaning: 'The setting exists, and this profile has no value for it.',
    recognised: 'Neither the profile nor the environment holds a value.',
    mend: 'Set it: `authcli config set NAME VALUE`.',
    example: 'authcli config get proxy, where none was set. Exit status 1.',
  },
  'unknown-text': {
    title: 'The text is no key, in any form that authcli knows',
    meaning:
      'It was read as Base64, hexadecimal, PEM, DER, JWK and OpenSSH, and is neither a key nor a wrapped key.',
    recognised: 'No reader makes sense of it; the notes say how far each one came.',
    mend: 'Give the text whole, as it stands in the JSON. A public_key begins with "MII"; an enc_partner_key is Base64 of as many bytes as the modulus has.',
    example: 'authcli key inspect "hello world". Exit status 1.',
  },
  'checks-failed': {
    title: 'A run of `verify` is not as it should be',
    meaning:
      'Checks failed for which no diagnosis code stands, a failure that was known no longer fails, or no check could be judged.',
    recognised: 'The outcomes of the checks, compared with the file of known failures.',
    mend: 'The report says of each check what was expected and observed, and names the entries of --expect that can go; --update-expect writes the file anew.',
    example: 'A check was mended, and --expect still names it. Exit status 1.',
  },
  'threshold-missed': {
    title: 'A load did not keep to a threshold',
    meaning:
      'It was asked that latencies, failures or the rate stay within bounds (--max-p99, --max-errors, --min-rate and the like), and one did not; or nothing was counted.',
    recognised: 'Each bound is compared with what the whole run came to, its warm-up left out.',
    mend: 'The message names the bound and what was measured. --report html=FILE shows when it went wrong. If authcli itself was the limit, it says so: give it another machine, or a lower rate.',
    example:
      'authcli load --rate 500 --max-p99 50ms, and the application takes 80 ms. Exit status 1.',
  },
  interrupted: {
    title: 'The run was stopped from outside',
    meaning:
      'It was interrupted (Ctrl-C, SIGINT) or terminated (SIGTERM). What was asked for was not finished; reports were still written.',
    recognised: 'The signal itself.',
    mend: 'Run it again. If it seemed to hang, --trace shows what it waited for, and --timeout bounds each request.',
    example: 'A CI job with a time limit of its own. Exit status 130 or 143.',
  },
  internal: {
    title: 'A mistake of authcli itself',
    meaning: 'Something happened that authcli does not expect; it says nothing about your side.',
    recognised: 'An error that was not raised on purpose.',
    mend: 'Run the same command once more with --debug and report it with what that adds on standard error: versions, the command line, what was sent and received, and where in the code it happened. Secrets are redacted there, also under --show-secrets; read it through all the same.',
    example: 'Exit status 70.',
  },
};

/** The errors, as explanations. */
export const errors: readonly Explanation[] = Object.entries(entries).map(([code, entry]) => ({
  code,
  kind: 'error',
  ...entry,
}));
