import { decisionMistakes } from './signin-mistakes.ts';

/** Every way in which the program is wrong, and the check that must say so. */
export interface WrongProgram {
  readonly name: string;
  readonly check: string;
  /** The diagnosis, where there is a code for it. */
  readonly diagnosis?: string;
  /** The other checks that can't pass either. */
  readonly knockOn?: readonly string[];
}

const accepts = 'signin/accepts-right-sign-in';
const bad = 'accepted-bad-answer';
const everyOutage = [
  'signin/rejects-without-service',
  'signin/rejects-error-page',
  'signin/follows-no-redirect',
];

export const wrongPrograms: readonly WrongProgram[] = [
  { name: 'sends-nothing', check: 'signin/both-calls', knockOn: [accepts] },
  { name: 'token-alone', check: 'signin/both-calls' },
  {
    name: 'authenticates-alone',
    check: 'signin/both-calls',
    knockOn: ['signin/authenticate-fields', accepts],
  },
  {
    name: 'token-alone-later',
    check: 'signin/acs-token-once',
    knockOn: ['signin/judges-each-sign-in', ...everyOutage, 'signin/passcode-of-that-user'],
  },
  { name: 'put', check: 'signin/method' },
  { name: 'slash-at-end', check: 'signin/path' },
  { name: 'capital-path', check: 'signin/path' },
  { name: 'other-path', check: 'signin/path', knockOn: [accepts] },
  { name: 'no-charset', check: 'signin/content-type' },
  {
    name: 'form',
    check: 'signin/token-fields',
    diagnosis: 'not-json',
    knockOn: ['signin/content-type', accepts],
  },
  {
    name: 'byte-order-mark',
    check: 'signin/token-fields',
    diagnosis: 'byte-order-mark',
    knockOn: ['signin/authenticate-fields'],
  },
  {
    name: 'no-client-id',
    check: 'signin/token-fields',
    diagnosis: 'field-missing',
    knockOn: [accepts],
  },
  {
    name: 'camel-case',
    check: 'signin/token-fields',
    diagnosis: 'field-missing',
    knockOn: ['signin/no-other-fields', accepts],
  },
  {
    name: 'cut-ptn-token',
    check: 'signin/token-fields',
    diagnosis: 'field-malformed',
    knockOn: [accepts],
  },
  {
    name: 'authenticate-without-secret',
    check: 'signin/authenticate-fields',
    diagnosis: 'field-missing',
    knockOn: [accepts],
  },
  {
    name: 'acs-token-small',
    check: 'signin/authenticate-fields',
    diagnosis: 'field-malformed',
    knockOn: [accepts],
  },
  {
    name: 'token-in-array',
    check: 'signin/string-types',
    diagnosis: 'field-type',
    knockOn: [accepts],
  },
  { name: 'extra-field', check: 'signin/no-other-fields' },
  { name: 'secret-in-header', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-basic', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-bearer', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-hex', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-percent', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-query', check: 'signin/secret-in-body-only' },
  { name: 'refuses-everybody', check: accepts },
  {
    name: 'keeps-acs-token',
    check: 'signin/acs-token-once',
    knockOn: ['signin/acs-token-unchanged', ...everyOutage, 'signin/works-afterwards'],
  },
  { name: 'authenticates-twice', check: 'signin/acs-token-once' },
  {
    name: 'no-token-code',
    check: 'signin/rejects-token-code',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'no-authenticate-code',
    check: 'signin/rejects-authenticate-code',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'code-as-number',
    check: 'signin/rejects-token-code',
    diagnosis: 'accepted-bad-answer',
    knockOn: ['signin/rejects-authenticate-code'],
  },
  {
    name: 'never-compares',
    check: 'signin/rejects-wrong-passcode',
    diagnosis: 'passcode-mismatch',
  },
  {
    name: 'never-decrypts',
    check: 'signin/rejects-wrong-passcode',
    diagnosis: 'passcode-mismatch',
    knockOn: ['signin/rejects-other-user', 'signin/rejects-undecryptable'],
  },
  {
    name: 'forgives-decryption',
    check: 'signin/rejects-undecryptable',
    diagnosis: 'accepted-bad-answer',
  },
  { name: 'one-key-for-all', check: 'signin/rejects-other-user', diagnosis: 'other-user' },
  {
    name: 'passcode-optional',
    check: 'signin/rejects-missing-field',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-no-json',
    check: 'signin/rejects-error-page',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-expiry',
    check: 'signin/rejects-expired-token',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-network',
    check: 'signin/rejects-without-service',
    diagnosis: 'accepted-bad-answer',
  },
  { name: 'compares-raw', check: 'signin/decrypts-passcode', diagnosis: bad },
  { name: 'compares-base64', check: 'signin/decrypts-passcode', diagnosis: bad },
  { name: 'compares-message', check: 'signin/decrypts-passcode', diagnosis: bad },
  { name: 'null-passes', check: 'signin/rejects-missing-field', diagnosis: bad },
  { name: 'forgives-short', check: 'signin/rejects-undecryptable', diagnosis: bad },
  { name: 'forgives-empty', check: 'signin/rejects-undecryptable', diagnosis: bad },
  { name: 'forgives-padding', check: 'signin/rejects-undecryptable', diagnosis: bad },
  {
    name: 'any-passcode',
    check: 'signin/passcode-of-that-user',
    diagnosis: 'passcode-mismatch',
  },
  {
    name: 'earlier-passcodes',
    check: 'signin/passcode-of-that-user',
    diagnosis: 'passcode-mismatch',
  },
  {
    name: 'keeps-decision',
    check: 'signin/judges-each-sign-in',
    diagnosis: bad,
    knockOn: ['signin/passcode-of-that-user'],
  },
  { name: 'keeps-result', check: 'signin/judges-each-sign-in', diagnosis: bad },
  { name: 'last-good', check: 'signin/rejects-without-service', diagnosis: bad },
  { name: 'global-user', check: 'signin/separate-sign-ins', diagnosis: 'shared-state' },
  { name: 'global-token', check: 'signin/separate-sign-ins', diagnosis: 'shared-state' },
  { name: 'trims-acs-token', check: 'signin/acs-token-unchanged', diagnosis: 'field-malformed' },
  { name: 'decodes-acs-token', check: 'signin/acs-token-unchanged', diagnosis: 'field-malformed' },
  { name: 'encodes-acs-token', check: 'signin/acs-token-unchanged', diagnosis: 'field-malformed' },
  { name: 'two-tokens', check: 'signin/acs-token-once' },
  { name: 'drops-prefix', check: 'signin/path' },
  { name: 'null-field', check: 'signin/string-types', diagnosis: 'field-type' },
  {
    name: 'goes-on',
    check: 'signin/stops-after-failure',
    diagnosis: 'goes-on-after-failure',
  },
  { name: 'plain-http', check: 'signin/stays-on-https' },
  ...['follows-redirects', 'follows-302', 'follows-303', 'follows-307', 'follows-308'].map(
    (name) => ({ name, check: 'signin/follows-no-redirect', diagnosis: bad }),
  ),
  { name: 'waits-forever', check: 'signin/gives-up', diagnosis: 'timeout' },
  ...decisionMistakes.map((mistake) =>
    // the tried "0000" behind the code is in result
    mistake.name === 'code-of-result'
      ? { ...mistake, knockOn: ['signin/compares-code-exactly'] }
      : mistake,
  ),
  { name: 'breaks-down', check: 'signin/works-afterwards' },
  { name: 'retries-forever', check: 'signin/no-retry-storm' },
  { name: 'prints-request', check: 'signin/secrets-not-shown' },
  { name: 'prints-base64', check: 'signin/secrets-not-shown' },
  { name: 'prints-hex', check: 'signin/secrets-not-shown' },
  { name: 'prints-percent', check: 'signin/secrets-not-shown' },
  { name: 'prints-acs-token', check: 'signin/secrets-not-shown' },
  { name: 'prints-passcode', check: 'signin/secrets-not-shown' },
];

/** Other ways to be right. */
export const rightPrograms = [
  'plain',
  'other-spelling',
  'tries-three-times',
  'looks-at-expiry',
  'asks-again',
  'pretty-json',
  'chunked',
  'other-order',
  'code-any-case',
] as const;
