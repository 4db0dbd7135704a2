import { profileCommand } from '../profile-command.ts';

export const configProfileUse = profileCommand({
  verb: 'use',
  about: 'Makes a profile the one that commands use when none is named.',
  done: 'is in use',
  examples: [
    { about: 'switch to a profile', line: 'authcli config profile use staging' },
    { about: 'back again', line: 'authcli config profile use default' },
    { about: 'use one for a single command', line: 'authcli config list --profile staging' },
  ],
});
