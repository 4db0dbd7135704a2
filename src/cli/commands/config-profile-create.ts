import { profileCommand } from '../profile-command.ts';

export const configProfileCreate = profileCommand({
  verb: 'create',
  about: 'Makes a profile: settings and users of its own, for another environment or application.',
  done: 'is made; `authcli config profile use` puts it in use',
  examples: [
    { about: 'for another environment', line: 'authcli config profile create staging' },
    {
      about: 'give it a setting',
      line: 'authcli config set url https://staging.example/callback --profile staging',
    },
    { about: 'put it in use', line: 'authcli config profile use staging' },
  ],
});
