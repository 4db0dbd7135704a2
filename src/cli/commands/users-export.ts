import { reveal } from '../../reports/redact.ts';
import { formatUserLines, formatUsers, userRows } from '../../state/user-format.ts';
import { defineCommand } from '../command.ts';
import { defaulted, optional } from '../options.ts';
import { writeNewFile } from '../output-file.ts';
import { choice } from '../values.ts';

const formats = ['json', 'jsonl'] as const;

export const usersExport = defineCommand({
  path: 'users export',
  about:
    'Writes the known users with their keys and passcodes, for `users import` elsewhere. What it writes is secret.',
  flags: {
    format: defaulted('--format <format>', 'one JSON array, or one line a user', 'json', {
      choices: formats,
      parse: choice(formats),
    }),
    out: optional('--out <file>', 'write to a new file, readable by you alone', { input: 'path' }),
  },
  examples: [
    { about: 'to a file', line: 'authcli users export --out users.json' },
    { about: 'one line a user', line: 'authcli users export --format jsonl' },
    {
      about: 'to another profile',
      line: 'authcli users export | authcli users import - --profile staging',
    },
  ],
  run: async ({ format, out }, session) => {
    const users = (await session.state()).users.list();
    const text = format === 'json' ? formatUsers(users) : formatUserLines(users);
    if (out !== undefined) {
      await writeNewFile(out, text, session, '--out');
      const count = `${users.length} user${users.length === 1 ? '' : 's'}`;
      return {
        fields: { exported: users.length, file: out },
        lines: [`${count} written to ${out}.`],
      };
    }
    const rows = userRows(users).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, reveal(String(value))])),
    );
    return { fields: { users: rows }, lines: text === '' ? [] : [reveal(text.replace(/\n$/, ''))] };
  },
});
