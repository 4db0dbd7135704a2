import { issuePtnToken as issue } from '../../emulator/tokens.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { clientIdFlag, secretKeyFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { findUser, signUpFirst } from '../simulate/known-user.ts';

export const issuePtnToken = defineCommand({
  path: 'issue-ptn-token',
  about:
    'Issues a ptn_token in place of the client library, for the emulated service only. Client id and secret key must match those of `emulate service`. The token is valid for ten minutes.',
  flags: {
    ptnCd: flag('--ptn-cd <code>', 'the user who signs in', {
      required: true,
      variable: true,
      parse: nonEmpty,
    }),
    clientId: clientIdFlag,
    secretKey: secretKeyFlag,
  },
  examples: {
    'a token': 'authcli issue-ptn-token --ptn-cd alice',
    'sign in with it': 'authcli issue-ptn-token --ptn-cd alice | authcli signin --ptn-token -',
  },
  run: async ({ ptnCd, clientId, secretKey }, session) => {
    const { context } = session;
    const token = reveal(issue(ptnCd, { clientId, secretKey }, context));
    if ((await findUser(ptnCd, session)) === undefined) {
      const next = await signUpFirst(ptnCd, session);
      session.note(
        `${escapeControls(ptnCd)} is not stored in this profile, so \`emulate service\` will refuse the token. Sign the user up first:\n${session.next(next)}`,
      );
    }
    return {
      fields: { ptn_token: token, ptn_cd: reveal(ptnCd), client_id: reveal(clientId) },
      lines: [token],
    };
  },
});
