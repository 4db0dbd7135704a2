// The right sign-in, with node:http and node:crypto; a mistake takes the place of some of its methods.
import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import { request } from 'node:http';

export class Refused extends Error {}

/** The right one; `given` is the input of a sign-in. */
export class SignIn {
  kept = new Map();

  address(given, path) {
    return given.authUrl + path;
  }

  headers() {
    return { 'content-type': 'application/json; charset=utf-8' };
  }

  body(fields) {
    return JSON.stringify(fields);
  }

  send(given, path, fields) {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: this.headers(given), timeout: 5000, agent: false };
      const outgoing = request(this.address(given, path), options, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('error', reject);
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode, text }));
      });
      outgoing.on('error', reject);
      outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
      outgoing.end(this.body(fields));
    });
  }

  async post(given, path, fields) {
    const { text } = await this.send(given, path, fields);
    return JSON.parse(text);
  }

  success({ code }) {
    return code === '0000';
  }

  async call(given, path, fields) {
    const { clientId: client_id, secretKey: secret_key } = given;
    const response = await this.post(given, path, { client_id, secret_key, ...fields });
    if (!this.success(response)) throw new Refused(`${path}: ${response.code} ${response.message}`);
    return response.result;
  }

  token(given) {
    return this.call(given, '/process/token', { ptn_token: given.ptnToken });
  }

  authenticate(given, { acs_token }) {
    if (!acs_token) throw new Refused('no acs_token');
    return this.call(given, '/process/authenticate', { acs_token });
  }

  find({ users }, named) {
    if (typeof named !== 'string' || !Object.hasOwn(users, named))
      throw new Refused('unknown user');
    return users[named];
  }

  decrypt(payload, key) {
    const bytes = Buffer.from(payload, 'base64');
    const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString();
  }

  passcode({ ptn_sp }, { key }) {
    return this.decrypt(ptn_sp, key);
  }

  same(found, stored) {
    const [a, b] = [Buffer.from(found), Buffer.from(stored)];
    return a.length === b.length && timingSafeEqual(a, b);
  }

  check(result, user) {
    if (!this.same(this.passcode(result, user), user.superPasscode)) throw new Refused('wrong');
  }

  async signIn(given) {
    const token = await this.token(given);
    const result = await this.authenticate(given, token);
    await this.check(result, this.find(given, token.ptn_cd));
  }
}

export const right = SignIn.prototype;

export const sessionUser = ({ users }) => Object.values(users)[0];
