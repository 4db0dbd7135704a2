// Mistakes in what is kept between sign-ins, in what is sent, and in what is printed.
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { right, sessionUser } from './right.mjs';

const withFields = (change) => ({
  post(given, path, fields) {
    return right.post.call(this, given, path, change(fields));
  },
});

const logsCalls = (log) => ({
  post(given, path, fields) {
    given.print(log(path, fields));
    return right.post.call(this, given, path, fields);
  },
});

const logsUser = (log) => ({
  async signIn(given) {
    given.print(log(sessionUser(given), given));
    await right.signIn.call(this, given);
  },
});

export const state = {
  'state-session': {
    async signIn(given) {
      const token = await this.token(given);
      const result = await this.authenticate(given, token);
      if (this.kept.has(token.ptn_cd)) return;
      this.check(result, this.find(given, token.ptn_cd));
      this.kept.set(token.ptn_cd, true);
    },
  },
  'state-no-calls': {
    async signIn(given) {
      const [code] = Object.keys(given.users);
      if (this.kept.has(code)) return;
      await right.signIn.call(this, given);
      this.kept.set(code, true);
    },
  },
  'state-responses': {
    async authenticate(given, token) {
      const fresh = await right.authenticate.call(this, given, token);
      if (!this.kept.has(token.ptn_cd)) this.kept.set(token.ptn_cd, fresh);
      return this.kept.get(token.ptn_cd);
    },
  },
  'state-token': {
    async token(given) {
      this.last = await right.token.call(this, given);
      return this.last;
    },
    async authenticate(given) {
      await delay(20);
      return right.authenticate.call(this, given, this.last);
    },
  },
  'state-user': {
    async signIn(given) {
      const token = await this.token(given);
      this.user = this.find(given, token.ptn_cd);
      const result = await this.authenticate(given, token);
      await delay(20);
      this.check(result, this.user);
    },
  },
  'state-result': {
    async signIn(given) {
      const token = await this.token(given);
      this.result = await this.authenticate(given, token);
      await delay(20);
      this.check(this.result, this.find(given, token.ptn_cd));
    },
  },
  'state-in-flight': {
    signIn(given) {
      const [code] = Object.keys(given.users);
      const running = this.kept.get(code) ?? right.signIn.call(this, given);
      this.kept.set(code, running);
      const clear = () => this.kept.delete(code);
      running.then(clear, clear);
      return running;
    },
  },
  'state-token-kept': {
    async token(given) {
      this.tokens ??= await right.token.call(this, given);
      return this.tokens;
    },
  },
  'state-broken': {
    async signIn(given) {
      if (this.broken) throw new Error('the pool is empty');
      await right.signIn.call(this, given).catch((error) => {
        this.broken = true;
        throw error;
      });
    },
  },
};

export const requests = {
  'request-type': { headers: () => ({ 'content-type': 'application/json' }) },
  'request-text': { headers: () => ({ 'content-type': 'text/plain;charset=utf-8' }) },
  'request-api-key': {
    headers: ({ secretKey }) => ({ ...right.headers(), 'x-api-key': secretKey }),
  },
  'request-url': {
    address: ({ authUrl }, path) => new URL(path, authUrl).href,
  },
  'request-double-slash': { address: ({ authUrl }, path) => `${authUrl}/${path}` },
  'request-lower': withFields(({ acs_token, ...fields }) => ({
    ...fields,
    ...(acs_token && { acs_token: acs_token.toLowerCase() }),
  })),
  'request-trim': withFields(({ acs_token, ...fields }) => ({
    ...fields,
    ...(acs_token && { acs_token: acs_token.trim() }),
  })),
  'request-null': withFields((fields) => ({ ...fields, state: null })),
  'request-all': withFields((fields) => ({ ptn_cd: 'somebody', ...fields })),
  'request-object': withFields(({ secret_key, ...fields }) => ({
    ...fields,
    secret_key: { value: secret_key },
  })),
  'request-again': {
    async authenticate(given, token) {
      await right.authenticate.call(this, given, token);
      return right.authenticate.call(this, given, token);
    },
  },
  'request-goes-on': {
    async token(given) {
      try {
        return await right.token.call(this, given);
      } catch (error) {
        await right.authenticate.call(this, given, { acs_token: 'none' }).catch(() => {});
        throw error;
      }
    },
  },
  'request-storm': {
    async post(given, path, fields) {
      for (let left = 12; ; left -= 1) {
        try {
          return await right.post.call(this, given, path, fields);
        } catch (error) {
          if (left === 0 || error.message === 'timeout') throw error;
        }
      }
    },
  },
};

export const output = {
  'shows-fields': logsCalls((path, fields) => inspect({ path, fields })),
  'shows-json': logsCalls((_, fields) => JSON.stringify(JSON.stringify(fields))),
  'shows-params': logsCalls((path, fields) => `${path}?${new URLSearchParams(fields)}`),
  'shows-given': logsUser((_, given) => inspect(given)),
  'shows-key': logsUser(({ key }) => `key=${key}`),
  'shows-buffer': logsUser(({ key }) => inspect(Buffer.from(key))),
  'shows-buffer-json': logsUser(({ key }) => JSON.stringify({ key: Buffer.from(key) })),
  'shows-base64url': logsUser(({ superPasscode }) =>
    Buffer.from(superPasscode).toString('base64url'),
  ),
  'shows-basic': logsUser((_, { clientId, secretKey }) =>
    Buffer.from(`${clientId}:${secretKey}`).toString('base64'),
  ),
  'shows-codes': logsUser(({ key }) => [...key].map((each) => each.charCodeAt(0)).join()),
  'shows-halves': logsUser(({ key }) => `${key.slice(0, 16)}\n${key.slice(16)}`),
};
