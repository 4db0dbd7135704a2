import type { Secret } from '../crypto/secret.ts';
import { readUserInformation } from '../protocol/user-info.ts';
import type { Secrets } from './environment.ts';

/** Hides the whole text, and each attribute in it (section 2.3). */
export function hideUserInformation(info: Secret, secrets: Secrets): void {
  const text = info.reveal();
  const { email, name, phone } = readUserInformation(text);
  for (const secret of [text, email, name, phone]) secrets.addUserInfo(secret);
}
