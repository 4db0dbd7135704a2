import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { fingerprintOfKey } from '../../crypto/secret.ts';
import { reveal } from '../../reports/redact.ts';
import { optional } from '../args/options.ts';
import { defineCommand } from '../command.ts';

export const keyGenerate = defineCommand({
  path: 'key generate',
  about: 'Generates a per-user key as an application must: a random string of 32 characters (2.2).',
  flags: {
    alphabet: optional(
      '--alphabet <characters>',
      'the characters to choose from (default: A-Z a-z 0-9)',
    ),
  },
  examples: {
    'a key': 'authcli key generate',
    'hexadecimal digits only': 'authcli key generate --alphabet 0123456789abcdef',
    'for a script': 'authcli key generate --json | jq -r .key',
  },
  run: async (options, { context }) => {
    const key = generatePerUserKey(context.randomBytes, { alphabet: options.alphabet });
    return {
      fields: { key: reveal(key), key_fingerprint: fingerprintOfKey(key) },
      lines: [reveal(key)],
    };
  },
});
