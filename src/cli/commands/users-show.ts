import { Secret } from '../../crypto/secret.ts';
import { readUserInformation } from '../../protocol/user-info.ts';
import { fields } from '../../reports/human.ts';
import { redacted, reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand } from '../command.ts';
import { knownUser } from '../known-user.ts';
import { userArgument } from '../named-things.ts';

export const usersShow = defineCommand({
  path: 'users show',
  about:
    'Shows what is known of one user; key, passcode and user information only with --show-secrets.',
  flags: {
    ptnCd: userArgument,
  },
  examples: [
    { about: 'one user', line: 'authcli users show alice' },
    { about: 'with the key and the passcode', line: 'authcli users show alice --show-secrets' },
    { about: 'only its state', line: 'authcli users show alice --json | jq -r .state' },
  ],
  run: async ({ ptnCd }, session) => {
    const user = await knownUser(ptnCd, session);
    const secret = (value: string | Secret | undefined): string | undefined => {
      if (value === undefined) return undefined;
      return session.showsSecrets ? Secret.textOf(value) : redacted;
    };
    const info =
      user.userInfo === undefined ? undefined : readUserInformation(user.userInfo.reveal());
    const fingerprint = user.key.toString();
    return {
      fields: {
        ptn_cd: reveal(user.ptnCd),
        state: user.state,
        key_fingerprint: fingerprint,
        key: secret(user.key),
        super_passcode: secret(user.superPasscode),
        ...(info && {
          user_info: {
            email: secret(info.email),
            name: secret(info.name),
            phone: secret(info.phone),
          },
        }),
        updated_at: user.updatedAt,
      },
      lines: fields(
        [
          ['user', escapeControls(user.ptnCd)],
          ['state', user.state],
          ['key', session.showsSecrets ? `${secret(user.key)} (${fingerprint})` : fingerprint],
          ['passcode', secret(user.superPasscode) ?? 'not known'],
          [
            'user information',
            user.userInfo === undefined ? undefined : escapeControls(secret(user.userInfo) ?? ''),
          ],
          ['changed', user.updatedAt],
        ],
        session.style,
        '',
      ),
    };
  },
});
