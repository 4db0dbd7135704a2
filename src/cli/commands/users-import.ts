import { verdict } from '../../reports/human.ts';
import { tallyText } from '../../reports/tally.ts';
import type { ImportedUser } from '../../state/user.ts';
import { parseUsers } from '../../state/user-format.ts';
import { defineCommand } from '../command.ts';
import { required } from '../options.ts';
import type { Session } from '../session.ts';

export const usersImport = defineCommand({
  path: 'users import',
  about:
    'Takes users over from what `users export` writes: a JSON array or JSON Lines of {"ptn_cd", "key", "super_passcode"?, "state"?}. All of them or, after an error, none; a user that is known already is replaced.',
  flags: {
    file: required('<file>', 'the file; "-" reads standard input', {
      input: 'file',
      parse: parseUsers,
    }),
  },
  examples: [
    { about: 'from a file', line: 'authcli users import users.json' },
    {
      about: 'from another profile',
      line: 'authcli users export --profile staging | authcli users import -',
    },
    {
      about: 'one user, by hand',
      line: `echo '{"ptn_cd":"alice","key":"…32 characters…"}' | authcli users import -`,
    },
  ],
  run: async ({ file: { users, notes } }, session) => {
    for (const { key, superPasscode, userInfo } of users) {
      for (const secret of [key, superPasscode, userInfo]) session.secrets.add(secret);
    }
    for (const note of notes) session.note(note);
    const { added, replaced } = await importAll(users, session);
    const count = `${users.length} user${users.length === 1 ? '' : 's'}`;
    return {
      fields: { imported: users.length, added, replaced, notes },
      lines: [
        verdict(true, `${count} imported: ${added} new, ${replaced} replaced.`, session.style),
      ],
    };
  },
});

/** Takes them over, and shows how far that has come. */
async function importAll(users: readonly ImportedUser[], session: Session) {
  const { now } = session.context;
  const startedAt = now();
  const progress = session.progress(`Importing ${users.length} users`);
  const state = await session.state();
  const total = users.length;
  return state.users
    .importUsers(users, (done) => {
      const tally = tallyText({ unit: 'users', done, total, elapsedMs: now() - startedAt });
      progress.update(`Importing: ${tally}`);
    })
    .finally(() => progress.stop());
}
