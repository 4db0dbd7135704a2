import { verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand } from '../command.ts';
import { knownUser } from '../known-user.ts';
import { userArgument } from '../named-things.ts';

export const usersRemove = defineCommand({
  path: 'users remove',
  about: 'Forgets a user: its key, passcode and user information. The application is not told.',
  flags: {
    ptnCd: userArgument,
  },
  examples: [
    { about: 'forget one user', line: 'authcli users remove alice' },
    { about: 'keep a copy before', line: 'authcli users export --out users.json' },
    { about: 'in another profile', line: 'authcli users remove alice --profile staging' },
  ],
  run: async ({ ptnCd }, session) => {
    const { ptnCd: code } = await knownUser(ptnCd, session);
    await (await session.state()).users.remove(code);
    return {
      fields: { ptn_cd: reveal(code) },
      lines: [verdict(true, `The user ${escapeControls(code)} is forgotten here.`, session.style)],
    };
  },
});
