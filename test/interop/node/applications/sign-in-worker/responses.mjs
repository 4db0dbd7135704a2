// Mistakes in what is done with a response that is not as it should be, or that never comes.
import { Refused, right } from './right.mjs';

class BadStatus extends Error {}

/** The sign-in in a handler that takes these errors for nothing bad: the user is signed in. */
const forgiving = (isForgiven) => ({
  async signIn(given) {
    try {
      await right.signIn.call(this, given);
    } catch (error) {
      if (!isForgiven(error)) throw error;
    }
  },
});

/** The status decides before the body is read. */
const byStatus = (isRight) => ({
  async post(given, path, fields) {
    const { status, text } = await this.send(given, path, fields);
    if (!isRight(status)) throw new BadStatus(status);
    return JSON.parse(text);
  },
});

export const undecryptable = {
  'decrypt-catch': {
    check(result, user) {
      let found;
      try {
        found = this.passcode(result, user);
      } catch {
        return;
      }
      if (found !== user.superPasscode) throw new Refused('wrong');
    },
  },
  'decrypt-default': {
    passcode({ ptn_sp }, { key, superPasscode }) {
      try {
        return this.decrypt(ptn_sp, key) || superPasscode;
      } catch (error) {
        if (error.code === 'ERR_OSSL_BAD_DECRYPT') return superPasscode;
        throw error;
      }
    },
  },
  'decrypt-empty': {
    check(result, user) {
      if (result.ptn_sp === '') return;
      right.check.call(this, result, user);
    },
  },
  'decrypt-optional': {
    check(result, user) {
      if (result?.ptn_sp != null) right.check.call(this, result, user);
    },
  },
  'decrypt-undefined': {
    check(result, user) {
      if (result?.ptn_sp === undefined) return;
      right.check.call(this, result, user);
    },
  },
  'decrypt-floating': {
    async check(result, user) {
      Promise.resolve()
        .then(() => right.check.call(this, result, user))
        .catch(() => {});
    },
  },
  'decrypt-length': {
    check(result, user) {
      if (Buffer.from(result.ptn_sp, 'base64').length % 16 > 0) return;
      right.check.call(this, result, user);
    },
  },
  'decrypt-raw': {
    check(result, user) {
      if (result.ptn_sp === user.superPasscode) return;
      right.check.call(this, result, user);
    },
  },
  'decrypt-message': {
    async authenticate(given, token) {
      const { clientId: client_id, secretKey: secret_key } = given;
      const fields = { client_id, secret_key, acs_token: token.acs_token };
      const response = await this.post(given, '/process/authenticate', fields);
      if (response.code !== '0000') throw new Refused(response.message);
      return { plain: response.message, ...response.result };
    },
    check(result, user) {
      if (result.plain === user.superPasscode) return;
      right.check.call(this, result, user);
    },
  },
  'decrypt-type-error': forgiving((error) => error instanceof TypeError),
};

export const outages = {
  'outage-refused': forgiving(({ code }) => code === 'ECONNREFUSED'),
  'outage-reset': forgiving(({ code }) => code === 'ECONNRESET'),
  'outage-timeout': forgiving(({ message }) => message === 'timeout'),
  'outage-syntax': forgiving((error) => error instanceof SyntaxError),
  'outage-not-refused': forgiving((error) => !(error instanceof Refused)),
  'outage-5xx': {
    ...byStatus((status) => status < 500),
    ...forgiving((error) => error instanceof BadStatus),
  },
  'outage-not-200': {
    ...byStatus((status) => status === 200),
    ...forgiving((error) => error instanceof BadStatus),
  },
  'outage-stale': {
    async authenticate(given, token) {
      const key = token.ptn_cd;
      try {
        this.kept.set(key, await right.authenticate.call(this, given, token));
      } catch (error) {
        if (error instanceof Refused || !this.kept.has(key)) throw error;
      }
      return this.kept.get(key);
    },
  },
  'outage-third-time': {
    async signIn(given) {
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          return await right.signIn.call(this, given);
        } catch (error) {
          if (error instanceof Refused) throw error;
        }
      }
    },
  },
  'outage-redirect': {
    send(given, path, fields, url) {
      const to = url ?? this.address(given, path);
      const options = { method: 'POST', redirect: 'follow', headers: this.headers(given) };
      const signal = AbortSignal.timeout(5000);
      return fetch(to, { ...options, body: this.body(fields), signal }).then(async (response) => ({
        status: response.status,
        text: await response.text(),
      }));
    },
  },
};
