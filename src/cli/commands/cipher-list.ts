import { cipherPresets } from '../../crypto/cipher-notation.ts';
import { defineCommand } from '../command.ts';

export const cipherList = defineCommand({
  path: 'cipher list',
  about:
    'Lists the ciphers that stacks use for a 32-character key. The interface leaves the cipher open (2.3), so it is a setting.',
  flags: {},
  examples: [
    { about: 'the list', line: 'authcli cipher list' },
    { about: 'set one', line: "authcli config set cipher 'aes-256-cbc?iv=zero'" },
    { about: 'every part of the notation', line: 'authcli help ciphers' },
  ],
  run: async (_, { style }) => ({
    fields: { ciphers: cipherPresets },
    lines: cipherPresets.flatMap(({ name, cipher, description }) => [
      style.bold(name),
      `  ${description}`,
      `  ${style.accent(cipher)}`,
    ]),
  }),
});
