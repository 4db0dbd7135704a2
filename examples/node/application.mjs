// The two callbacks and the sign-in with node:crypto alone; http.mjs, express.mjs and fastify.mjs serve it.
import {
  constants,
  createDecipheriv,
  createPublicKey,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** An application with users of its own. Yours keeps them in a database, their keys encrypted. */
export function createApplication({ clientId, secretKey, authUrl }) {
  const users = new Map();

  function exchangeKey({ ptn_cd, public_key }) {
    if (!ptn_cd || !public_key) throw new Error('a field is missing');
    const key = randomBytes(24).toString('base64'); // 24 random bytes are 32 characters
    const enc_partner_key = wrap(key, public_key);
    users.set(ptn_cd, { key });
    return { code: '0000', message: '', result: { enc_partner_key } };
  }

  function register({ ptn_cd, partner_sp, ubifill }) {
    const { key } = users.get(ptn_cd);
    const passcode = decrypt(partner_sp, key);
    const info = ubifill && JSON.parse(decrypt(ubifill, key));
    users.set(ptn_cd, { key, passcode, info });
    return { code: '0000', message: '' };
  }

  /** Calls one of the service's endpoints; throws for any code but "0000". */
  async function call(path, fields) {
    const response = await fetch(authUrl + path, {
      method: 'POST',
      headers: { 'Content-type': 'application/json;charset=utf-8' },
      body: JSON.stringify({ client_id: clientId, secret_key: secretKey, ...fields }),
      redirect: 'error', // the secret goes to {auth_url} alone
      signal: AbortSignal.timeout(10_000),
    });
    const { code, message, result } = await response.json();
    if (code !== '0000') throw new Error(`${path}: ${code} ${message}`);
    return result;
  }

  return {
    /** The HTTP status and body of the response to a callback. Why it is refused goes to the log alone. */
    callback(fields) {
      try {
        if (fields.client_id !== clientId) throw new Error('unknown client_id');
        if (fields.used_type === '1') return { status: 200, body: exchangeKey(fields) };
        if (fields.used_type === '2') return { status: 200, body: register(fields) };
        throw new Error('unknown used_type');
      } catch (error) {
        console.error(error.message);
        return { status: 400, body: { code: '9000', message: 'refused' } };
      }
    },

    /** The user code whose device made the token; throws where the user isn't who they should be. */
    async signIn(ptnToken) {
      const { acs_token, ptn_cd } = await call('/process/token', { ptn_token: ptnToken });
      const { ptn_sp } = await call('/process/authenticate', { acs_token });
      const user = users.get(ptn_cd);
      if (!user?.passcode) throw new Error('not registered');
      if (!isSame(decrypt(ptn_sp, user.key), user.passcode)) throw new Error('another passcode');
      return ptn_cd;
    },
  };
}

/** RSAES-PKCS1-v1_5, which Node takes only where it is named. */
function wrap(key, publicKey) {
  const spki = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' };
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt({ key: createPublicKey(spki), padding }, Buffer.from(key)).toString(
    'base64',
  );
}

/** AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext. */
function decrypt(payload, key) {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key), bytes.subarray(0, 16));
  return decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');
}

function isSame(left, right) {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
