import { profileCommand } from '../profile-command.ts';

export const configProfileRemove = profileCommand({
  verb: 'remove',
  about: 'Removes a profile with its settings, users and key pairs. The profile "default" stays.',
  done: 'is removed, with its settings, users and key pairs',
  examples: [
    { about: 'look into it before', line: 'authcli users list --profile staging' },
    {
      about: 'keep its users',
      line: 'authcli users export --profile staging --out staging-users.json',
    },
    { about: 'remove it', line: 'authcli config profile remove staging' },
  ],
});
