import { table } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand } from '../command.ts';
import { columnsOf } from '../style.ts';

export const usersList = defineCommand({
  path: 'users list',
  about:
    'Lists the users whose keys are known in this profile. A user is known after the key exchange, registered after registration complete.',
  flags: {},
  examples: [
    { about: 'the users of the profile in use', line: 'authcli users list' },
    { about: 'of another profile', line: 'authcli users list --profile staging' },
    {
      about: 'how many are registered',
      line: `authcli users list --json | jq '[.users[] | select(.state == "registered")] | length'`,
    },
  ],
  run: async (_, session) => {
    const users = (await session.state()).users.list();
    const rows = users.map(({ ptnCd, state, key }) => ({
      ptn_cd: reveal(ptnCd),
      state,
      key_fingerprint: key.toString(),
    }));
    for (const { ptnCd, key } of users) {
      session.secrets.add(key);
      session.secrets.show(ptnCd);
    }
    return {
      fields: { users: rows },
      lines:
        rows.length === 0
          ? [
              'No users are known in this profile yet. A sign-up makes one known:',
              '  authcli simulate-signup --url http://localhost:8080/callback',
            ]
          : table(
              ['USER', 'STATE', 'KEY'],
              rows.map((row) => [escapeControls(row.ptn_cd.value), row.state, row.key_fingerprint]),
              session.style,
              columnsOf(session.context.stdout),
            ),
    };
  },
});
