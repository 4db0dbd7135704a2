// Signs a user in with fetch and node:crypto. Run as: sign-in.mjs [FAULT [USERS]], where FAULT is
// forgotten-await or swallows, and USERS a file of [code, {key, passcode}] in JSON.
import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID, AUTHCLI_SECRET_KEY, AUTHCLI_PTN_TOKEN } = process.env;
const { AUTHCLI_PTN_CD, AUTHCLI_KEY, AUTHCLI_SUPER_PASSCODE } = process.env;
const [fault, file] = process.argv.slice(2);
const users = new Map(
  file
    ? JSON.parse(readFileSync(file, 'utf8'))
    : [[AUTHCLI_PTN_CD, { key: AUTHCLI_KEY, passcode: AUTHCLI_SUPER_PASSCODE }]],
);

async function call(path, fields) {
  const response = await fetch(`${AUTHCLI_AUTH_URL}${path}`, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(5000),
    headers: { 'content-type': 'application/json;charset=utf-8' },
    body: JSON.stringify({
      client_id: AUTHCLI_CLIENT_ID,
      secret_key: AUTHCLI_SECRET_KEY,
      ...fields,
    }),
  });
  const { code, message, result } = await response.json();
  if (code !== '0000') throw new Error(`${path}: ${code} ${message}`);
  return result;
}

function decrypt(payload, key) {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
}

async function isPasscodeOf(user, payload) {
  const found = decrypt(payload, user.key);
  const stored = Buffer.from(user.passcode);
  return found.length === stored.length && timingSafeEqual(found, stored);
}

async function signIn(ptn_token) {
  const { acs_token, ptn_cd } = await call('/process/token', { ptn_token });
  const { ptn_sp } = await call('/process/authenticate', { acs_token });
  const user = users.get(ptn_cd);
  if (!user) throw new Error(`unknown user ${ptn_cd}`);
  const checked = isPasscodeOf(user, ptn_sp);
  const good = fault === 'forgotten-await' ? checked : await checked;
  if (!good) throw new Error('wrong passcode');
  return ptn_cd;
}

try {
  console.log(`Welcome, ${await signIn(AUTHCLI_PTN_TOKEN)}`);
} catch (error) {
  console.error(`Refused: ${error.message}`);
  process.exitCode = fault === 'swallows' ? 0 : 1;
}
