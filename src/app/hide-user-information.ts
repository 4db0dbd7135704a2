import type { Secret } from '../crypto/secret.ts';
import { readUserInformation } from '../protocol/user-info.ts';
import type { Secrets } from './environment.ts';

/** Hides the whole text, and each attribute in it. */
export function hideUserInformation(info: Secret, secrets: Secrets): void {
  for (const secret of secretsOfUserInformation(info)) secrets.addUserInfo(secret);
}

/** The whole text, and each attribute in it (section 2.3). */
export function secretsOfUserInformation(info: Secret): readonly string[] {
  const text = info.reveal();
  const { email, name, phone } = readUserInformation(text);
  return [text, email, name, phone].filter((value) => value !== undefined);
}
