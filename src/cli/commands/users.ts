import { Secret } from '../../crypto/secret.ts';
import { readUserInformation } from '../../protocol/user.ts';
import { fields, table } from '../../reports/human.ts';
import { redacted, reveal, revealAll } from '../../reports/redact.ts';
import { parseUsers, userRow } from '../../state/user-rows.ts';
import { counted, escapeControls } from '../../text.ts';
import { userArgument } from '../args/flags.ts';
import { usersLimit } from '../args/input.ts';
import { flag } from '../args/options.ts';
import { defineCommand } from '../command.ts';
import { writeOutputFile } from '../process/output-file.ts';
import { knownUser } from '../simulate/known-user.ts';
import { columnsOf } from '../terminal/style.ts';

export const usersList = defineCommand({
  path: 'users list',
  about:
    'Lists the users whose keys are known in this profile. A user is known after the key exchange, registered after registration complete.',
  flags: {},
  examples: {
    'how many are registered': `authcli users list --json | jq '[.users[] | select(.state == "registered")] | length'`,
  },
  run: async (_, session) => {
    const rows = (await session.state()).users.list().map(({ ptnCd, state, key }) => {
      session.secrets.add(key);
      session.secrets.show(ptnCd);
      return { ptn_cd: reveal(ptnCd), state, key_fingerprint: key.toString() };
    });
    const first = ['simulate-signup', '--url', 'http://localhost:8080/callback'];
    const lines =
      rows.length === 0
        ? ['This profile has no users yet. Sign one up:', `  ${session.commandLine(first)}`]
        : table(
            ['USER', 'STATE', 'KEY'],
            rows.map((row) => [escapeControls(row.ptn_cd.value), row.state, row.key_fingerprint]),
            session.style,
            columnsOf(session.context.stdout),
          );
    return { fields: { users: rows }, lines };
  },
});

export const usersShow = defineCommand({
  path: 'users show',
  about:
    'Shows the stored data of one user; key, passcode and user information only with --show-secrets.',
  flags: { ptnCd: userArgument },
  examples: { 'with the key and the passcode': 'authcli users show alice --show-secrets' },
  run: async ({ ptnCd }, session) => {
    const user = await knownUser(ptnCd, session);
    const secret = (value: string | Secret | undefined): string | undefined => {
      if (value === undefined) return undefined;
      return session.showsSecrets ? Secret.textOf(value) : redacted;
    };
    const { state, superPasscode, userInfo } = user;
    const info = userInfo && readUserInformation(userInfo.reveal());
    const own = info && {
      email: secret(info.email),
      name: secret(info.name),
      phone: secret(info.phone),
    };
    const fingerprint = user.key.toString();
    const rows: [string, string | undefined][] = [
      ['user', escapeControls(user.ptnCd)],
      ['state', state],
      ['key', session.showsSecrets ? `${secret(user.key)} (${fingerprint})` : fingerprint],
      ['passcode', secret(superPasscode) ?? 'not known'],
      ['user information', userInfo && escapeControls(secret(userInfo) ?? '')],
    ];
    return {
      fields: {
        ptn_cd: reveal(user.ptnCd),
        state,
        key_fingerprint: fingerprint,
        key: secret(user.key),
        super_passcode: secret(superPasscode),
        ...(own && { user_info: own }),
      },
      lines: fields(rows, session.style, ''),
    };
  },
});

export const usersImport = defineCommand({
  path: 'users import',
  about:
    'Imports what `users export` writes: a JSON array or JSON Lines of {"ptn_cd", "key", "super_passcode"?, "user_info"?, "state"?}. Stored users of the same ptn_cd are replaced. After an error in any row, nothing is imported.',
  flags: {
    file: flag('<file>', 'the file; "-" reads standard input', {
      input: 'file',
      limit: usersLimit,
      parse: parseUsers,
    }),
  },
  examples: {
    'from another profile': 'authcli users export --profile staging | authcli users import -',
    'one user, by hand': `echo '{"ptn_cd":"alice","key":"…32 characters…"}' | authcli users import -`,
  },
  run: async ({ file: users }, session) => {
    const { added, replaced } = await (await session.state()).users.importUsers(users);
    const count = counted(users.length, 'user');
    return {
      fields: { imported: users.length, added, replaced },
      lines: [session.done(`${count} imported: ${added} new, ${replaced} replaced.`)],
    };
  },
});

const formats = ['json', 'jsonl'] as const;

export const usersExport = defineCommand({
  path: 'users export',
  about: 'Exports the stored users with their keys and passcodes, in clear, for `users import`.',
  flags: {
    format: flag('--format <format>', 'one JSON array, or one JSON object per line', {
      fallback: 'json',
      choices: formats,
    }),
    out: flag('--out <file>', 'write to a new file, readable only by you', { input: 'path' }),
  },
  examples: {
    'to a file': 'authcli users export --out users.json',
    'one user per line': 'authcli users export --format jsonl',
  },
  run: async ({ format, out }, session) => {
    const users = (await session.state()).users.list();
    const rows = users.map(userRow);
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    const text = format === 'json' ? JSON.stringify(rows, undefined, 2) : lines;
    if (out !== undefined) {
      const whole = text && `${text}\n`;
      await writeOutputFile(out, whole, '--out', session, { flag: 'wx', mode: 0o600 });
      const count = counted(users.length, 'user');
      return {
        fields: { exported: users.length, file: out },
        lines: [session.done(`${count} written to ${out}.`)],
      };
    }
    return { fields: { users: rows.map(revealAll) }, lines: text === '' ? [] : [reveal(text)] };
  },
});

export const usersRemove = defineCommand({
  path: 'users remove',
  about:
    'Removes the stored key, passcode and user information of a user. The application is not notified.',
  flags: { ptnCd: userArgument },
  examples: { 'remove one user': 'authcli users remove alice' },
  run: async ({ ptnCd }, session) => {
    const { ptnCd: code } = await knownUser(ptnCd, session);
    await (await session.state()).users.remove(code);
    return {
      fields: { ptn_cd: reveal(code) },
      lines: [session.done(`${code} is removed from this profile.`)],
    };
  },
});
