// Mistakes in what counts as success, in how passcodes are compared and users found.
import { createHash } from 'node:crypto';
import { right, sessionUser } from './right.mjs';

const loosely = (a, b) => {
  // biome-ignore lint/suspicious/noDoubleEquals: what is wrong about it
  return a == b;
};

const sha = (text) => createHash('sha256').update(text).digest('hex');

const plain = (text) => text.replace(/[^a-z0-9]/gi, '');

const unaccented = (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');

const compare = (a, b, options) => a.localeCompare(b, 'en', options) === 0;

const shared = Buffer.alloc(256);

export const codes = {
  'code-loose': { success: ({ code }) => loosely(code, '0000') },
  'code-parse-int': { success: ({ code }) => Number.parseInt(code, 10) === 0 },
  'code-plus': { success: ({ code }) => +code === 0 },
  'code-falsy': { success: ({ code }) => !Number(code) },
  'code-includes': { success: ({ code }) => code?.includes('0000') },
  'code-includes-of': { success: ({ code }) => '0000'.includes(code) },
  'code-pattern': { success: ({ code }) => /0000/.test(code) },
  'code-digits': { success: ({ code }) => /^0+$/.test(code) },
  'code-string': { success: ({ code }) => String(code) === '0000' },
  'code-trim': { success: ({ code }) => String(code).trim() === '0000' },
  'code-nullish': { success: ({ code }) => (code ?? '0000') === '0000' },
  'code-if-any': { success: ({ code }) => !code || code === '0000' },
  'code-spread': { success: (response) => ({ ...response, ...response.result }).code === '0000' },
  'code-truthy': { success: ({ code }) => Boolean(code) },
  'code-never': { success: () => true },
  'code-token-alone': {
    async authenticate(given, { acs_token }) {
      const { clientId: client_id, secretKey: secret_key } = given;
      const fields = { client_id, secret_key, acs_token };
      return (await this.post(given, '/process/authenticate', fields)).result;
    },
  },
  'code-padded': { success: ({ code }) => String(code).padStart(4, '0') === '0000' },
  'code-slice': { success: ({ code }) => String(code).slice(0, 4) === '0000' },
};

export const passcodes = {
  'pass-lower': { same: (a, b) => a.toLowerCase() === b.toLowerCase() },
  'pass-trim': { same: (a, b) => a.trim() === b.trim() },
  'pass-starts': { same: (a, b) => a.startsWith(b) },
  'pass-includes': { same: (a, b) => a.includes(b) },
  'pass-includes-of': { same: (a, b) => b.includes(a) },
  'pass-ends': { same: (a, b) => a.endsWith(b) },
  'pass-number': { same: (a, b) => a === b || Number(a) === Number(b) },
  'pass-min-length': { same: (a, b) => a.length >= b.length },
  'pass-every': { same: (a, b) => [...a].every((character, at) => character === b[at]) },
  'pass-locale': { same: (a, b) => compare(a, b) },
  'pass-base': { same: (a, b) => compare(a, b, { sensitivity: 'base' }) },
  'pass-accents': { same: (a, b) => unaccented(a) === unaccented(b) },
  'pass-punctuation': { same: (a, b) => plain(a) === plain(b) },
  'pass-pattern': { same: (a, b) => new RegExp(a).test(b) },
  'pass-whole-pattern': { same: (a, b) => new RegExp(`^(?:${a})$`).test(b) },
  'pass-72': { same: (a, b) => sha(a.slice(0, 72)) === sha(b.slice(0, 72)) },
  'pass-64': { same: (a, b) => a.slice(0, 64) === b.slice(0, 64) },
  'pass-20': { same: (a, b) => a.slice(0, 20) === b.slice(0, 20) },
  'pass-latin1': { same: (a, b) => Buffer.from(a, 'latin1').equals(Buffer.from(b, 'latin1')) },
  'pass-binary-end': { same: (a, b) => a.trimEnd() === b },
  'pass-spaces-end': { same: (a, b) => a.replace(/ +$/, '') === b },
  'pass-whole-buffer': {
    same(a, b) {
      shared.write(a);
      return shared.subarray(0, b.length).equals(Buffer.from(b));
    },
  },
  'pass-no-await': {
    async same(a, b) {
      return a === b;
    },
  },
  'pass-no-throw': {
    check(result, user) {
      return this.same(this.passcode(result, user), user.superPasscode);
    },
  },
  'pass-any-user': {
    same(found, stored) {
      this.kept.set(stored, true);
      return this.kept.has(found);
    },
  },
};

export const who = {
  'user-session': { find: sessionUser },
  'user-or': {
    find(given, named) {
      return given.users[named] || sessionUser(given);
    },
  },
  'user-nullish': {
    find(given, named) {
      return given.users[named ?? Object.keys(given.users)[0]];
    },
  },
  'user-falsy': {
    find(given, named) {
      return named ? right.find(given, named) : sessionUser(given);
    },
  },
  'user-lower': {
    find: ({ users }, named) => users[String(named).toLowerCase()],
  },
  'user-trim': {
    find: ({ users }, named) => users[String(named).trim()],
  },
  'user-nfkc': {
    find: ({ users }, named) => users[String(named).normalize('NFKC')],
  },
  'user-starts': {
    find: ({ users }, named) =>
      users[Object.keys(users).find((code) => typeof named === 'string' && code.startsWith(named))],
  },
  'user-includes': {
    find: ({ users }, named) =>
      users[Object.keys(users).find((code) => String(named).includes(code))],
  },
  'user-pattern': {
    find: ({ users }, named) =>
      users[Object.keys(users).find((code) => new RegExp(`^${named}`).test(code))],
  },
  'user-locale': {
    find: ({ users }, named) =>
      users[Object.keys(users).find((code) => compare(code, String(named)))],
  },
  'user-last': {
    find(given, named) {
      this.everybody = { ...this.everybody, ...given.users };
      return this.everybody[named] ?? Object.values(this.everybody).at(-1);
    },
  },
};
