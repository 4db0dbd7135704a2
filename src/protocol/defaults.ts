import { encodeHex, type RandomBytes } from '../bytes.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { encodeUserInformation } from './user-info.ts';

/** The Application Client ID where none is set. */
export const defaultClientId = 'authcli-client';

/** A new user code, `authcli-` and 12 hexadecimal digits, so that test users can be found and removed. */
export function generateUserCode(randomBytes: RandomBytes): string {
  return `authcli-${encodeHex(randomBytes(6))}`;
}

/** A new Super Passcode: 24 letters and digits. */
export function generatePasscode(randomBytes: RandomBytes): string {
  return generatePerUserKey(randomBytes, { length: 24 });
}

/** User information for a user by default; the address contains the user code. */
export function generateUserInformation(ptnCd: string): string {
  const box = ptnCd.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40);
  const attributes = { email: `${box}@example.com`, name: 'Test User', phone: '+1-555-0100' };
  return encodeUserInformation(attributes);
}
