import { cipherPresets } from '../crypto/cipher-presets.ts';
import { wrapText } from '../reports/human.ts';
import type { CommandEntry } from './command.ts';
import { findCommand } from './command-line.ts';
import { exitStatusMeanings } from './exit-status.ts';
import { globalFlags } from './global-flags.ts';
import { commandHelp, environmentHelp, hanging, pairs } from './help.ts';
import { groupHelp, programHelp } from './overview.ts';

type Topic = (commands: readonly CommandEntry[], width: number) => Promise<string>;

/** Help on things that are no command, by the word behind `help`. */
const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': async (_, width) => exitCodeHelp(width),
  environment: async (commands, width) => {
    const definitions = await Promise.all(commands.map((entry) => entry.load()));
    return environmentHelp(
      [globalFlags, ...definitions.map((definition) => definition.flags)],
      width,
    );
  },
  ciphers: async (_, width) => cipherHelp(width),
};

/** The words of those topics. */
export const helpTopics = Object.keys(topics);

function exitCodeHelp(width: number): string {
  return [
    ...exitStatusMeanings.flatMap(([status, meaning]) =>
      hanging(`${String(status).padStart(4)}  `, meaning, width),
    ),
    '',
    ...wrapText(
      'When several apply: 70, then 2, then 1, then 3. With -- COMMAND, the status is that of COMMAND.',
      width,
    ),
    '',
  ].join('\n');
}

const notation = [
  [
    'algorithm',
    'aes-256-cbc (default); aes-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, the same for aria-, des-ede3-cbc',
  ],
  [
    'key',
    "utf8 (the key's characters as bytes), hex, base64, sha256, md5, md5-hex, evp-md5, evp-sha256 (OpenSSL and CryptoJS passphrases), sha1prng (Java's seeded generator)",
  ],
  ['iv', 'prefix (random, before the ciphertext), zero, key-head, key-tail, hex:… (fixed)'],
  ['padding', 'pkcs7, zero, ansix923, iso10126, none'],
  ['encoding', 'base64, base64url, hex'],
  ['tag', 'suffix, after-iv (gcm)'],
  ['ivlen', '12, 16 (gcm)'],
] as const;

function cipherHelp(width: number): string {
  return [
    ...wrapText(
      'The cipher of the per-user key is written ALGORITHM?key=…&iv=…&padding=…&encoding=…',
      width,
    ),
    ...pairs('', notation, width),
    '',
    ...wrapText(
      "What is left out is the first value of its row. `authcli config set cipher '…'` sets it for a profile.",
      width,
    ),
    '',
    ...cipherPresets.flatMap(({ cipher, description }) => [
      `  ${cipher}`,
      ...hanging('      ', description, width),
    ]),
    '',
  ].join('\n');
}

/** The help text for the words behind `help` or before `--help`, in lines of at most `width` columns. Throws `usage` for words that name nothing. */
export async function helpOn(
  words: readonly string[],
  commands: readonly CommandEntry[],
  width: number,
): Promise<string> {
  if (words.length === 0) return programHelp(commands, width);
  const path = words.join(' ');
  const topic = Object.hasOwn(topics, path) ? topics[path] : undefined;
  if (topic !== undefined) return topic(commands, width);
  const isGroup = commands.some((entry) => entry.path.startsWith(`${path} `));
  const exact = commands.some((entry) => entry.path === path);
  if (isGroup && !exact) return groupHelp(path, commands, width);
  return commandHelp(await findCommand(words, commands).load(), width);
}
