import { fingerprintOfKey } from '../../crypto/fingerprint.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { reveal } from '../../reports/redact.ts';
import { defineCommand } from '../command.ts';
import { optional } from '../options.ts';

export const keyGenerate = defineCommand({
  path: 'key generate',
  about: 'Makes a per-user key as an application would: a random string of 32 characters (2.2).',
  flags: {
    alphabet: optional(
      '--alphabet <characters>',
      'the characters to draw from; default A-Z a-z 0-9',
    ),
  },
  examples: [
    { about: 'a key', line: 'authcli key generate' },
    { about: 'hexadecimal digits only', line: 'authcli key generate --alphabet 0123456789abcdef' },
    { about: 'for a script', line: 'authcli key generate --json | jq -r .key' },
  ],
  run: async (options, { context }) => {
    const key = generatePerUserKey(context.randomBytes, { alphabet: options.alphabet });
    return {
      fields: { key: reveal(key), key_fingerprint: fingerprintOfKey(key) },
      lines: [reveal(key)],
    };
  },
});
