import { cipherPresets } from '../crypto/cipher-presets.ts';
import type { CommandEntry } from './command.ts';
import { findCommand } from './command-line.ts';
import { exitStatusMeanings } from './exit-status.ts';
import { globalFlags } from './global-flags.ts';
import { commandHelp, environmentHelp, groupHelp, programHelp } from './help.ts';

/** Help on things that are no command, by the word behind `help`. */
const topics: Readonly<Record<string, (commands: readonly CommandEntry[]) => Promise<string>>> = {
  'exit-codes': async () =>
    `${exitStatusMeanings.map(([status, meaning]) => `${String(status).padStart(4)}  ${meaning}`).join('\n')}\n`,
  environment: async (commands) => {
    const definitions = await Promise.all(commands.map((entry) => entry.load()));
    return environmentHelp([globalFlags, ...definitions.map((definition) => definition.flags)]);
  },
  ciphers: async () => `${cipherHelp}${presetLines()}\n`,
};

/** The words of those topics. */
export const helpTopics = Object.keys(topics);

const cipherHelp = `The cipher of the per-user key is written ALGORITHM?key=…&iv=…&padding=…&encoding=…

  algorithm  aes-256-cbc (default); aes-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, the same for aria-, des-ede3-cbc
  key        utf8 (the key's characters as bytes), hex, base64, sha256, md5, md5-hex,
             evp-md5, evp-sha256 (OpenSSL and CryptoJS passphrases), sha1prng (Java's seeded generator)
  iv         prefix (random, before the ciphertext), zero, key-head, key-tail, hex:… (fixed)
  padding    pkcs7, zero, ansix923, iso10126, none
  encoding   base64, base64url, hex
  tag        suffix, after-iv (gcm)
  ivlen      12, 16 (gcm)

What is left out is the first value of its row. \`authcli config set cipher '…'\` sets it for a profile.

`;

function presetLines(): string {
  return cipherPresets
    .map(({ cipher, description }) => `  ${cipher}\n      ${description}`)
    .join('\n');
}

/** The help text for the words behind `help` or before `--help`. Throws `usage` for words that name nothing. */
export async function helpOn(
  words: readonly string[],
  commands: readonly CommandEntry[],
): Promise<string> {
  if (words.length === 0) return programHelp(commands);
  const path = words.join(' ');
  const topic = Object.hasOwn(topics, path) ? topics[path] : undefined;
  if (topic !== undefined) return topic(commands);
  const isGroup = commands.some((entry) => entry.path.startsWith(`${path} `));
  const exact = commands.some((entry) => entry.path === path);
  if (isGroup && !exact) return groupHelp(path, commands);
  return commandHelp(await findCommand(words, commands).load());
}
