import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What kind of secret it is, for commands that exist to print some. */
export type SecretKind = 'given' | 'key' | 'passcode' | 'user-info' | 'setting' | 'acs-token';

/** A secret of a run, and its kind. */
export interface RunSecret {
  readonly kind: SecretKind;
  readonly text: string;
}

/** Of a state with thousands of users at most this many are searched for: a leak shows with any of them. */
const mostUsers = 20;

/** The secrets in the local state of every profile: users, settings, key pairs. What can't be read has none. */
export function storedSecrets(configFile: string): readonly RunSecret[] {
  const profiles = `${configFile}.profiles`;
  const folders = namesIn(profiles).map((name) => join(profiles, name));
  return [
    ...settingsIn(configFile),
    ...folders.flatMap((folder) => [...usersIn(join(folder, 'users')), ...keyPairsIn(folder)]),
  ];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function usersIn(folder: string): readonly RunSecret[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .slice(0, mostUsers)
    .flatMap((name) => {
      const user = jsonIn(join(folder, name));
      return [
        ...secret('key', user.key),
        ...secret('passcode', user.super_passcode),
        ...secret('passcode', user.delivered_passcode),
        ...secret('user-info', user.user_info),
      ];
    });
}

/** A reference says only where the secret is. */
function settingsIn(configFile: string): readonly RunSecret[] {
  const { profiles } = jsonIn(configFile);
  return Object.values(objectOf(profiles)).flatMap((profile) => {
    const value = objectOf(profile)['secret-key'];
    return /^(?:env|file|cmd):/.test(String(value)) ? [] : secret('setting', value);
  });
}

/** Of a PEM text the tenth line of its Base64: the modulus, which is public, has ended there (RFC 8017 A.1.2). */
function keyPairsIn(folder: string): readonly RunSecret[] {
  const { current, earlier } = jsonIn(join(folder, 'service-key-pairs.json'));
  const pems = [current, ...(Array.isArray(earlier) ? earlier : [])];
  return pems.flatMap((pem) => secret('setting', String(pem ?? '').split('\n')[10]));
}

function secret(kind: SecretKind, text: unknown): readonly RunSecret[] {
  return typeof text === 'string' ? [{ kind, text }] : [];
}

function jsonIn(file: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
