import { encodeHex, type RandomBytes } from '../bytes.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';

/** What stands for what nobody gave: easy to recognise, and of nobody. */

/** The Application Client ID where none is set. */
export const defaultClientId = 'authcli-client';

/** A new user code, `authcli-` and 12 hexadecimal digits, so that test users can be found and removed. */
export function inventUserCode(randomBytes: RandomBytes): string {
  return `authcli-${encodeHex(randomBytes(6))}`;
}

/** A new Super Passcode: 24 letters and digits. */
export function inventPasscode(randomBytes: RandomBytes): string {
  return generatePerUserKey(randomBytes, { length: 24 });
}
