import { issuePtnToken as issue } from '../../emulator/ptn-token.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { defineCommand } from '../command.ts';
import { clientIdFlag, emulatedSecretKeyFlag } from '../common-flags.ts';
import { findUser } from '../known-user.ts';
import { required } from '../options.ts';
import { nonEmpty } from '../values.ts';

export const issuePtnToken = defineCommand({
  path: 'issue-ptn-token',
  about:
    'Makes a ptn_token as the client library in a device would, for the emulated service only. Client id and secret key must be those of `emulate service`; the token is good for ten minutes.',
  flags: {
    ptnCd: required('--ptn-cd <code>', 'the user who signs in', { parse: nonEmpty }),
    clientId: clientIdFlag,
    secretKey: emulatedSecretKeyFlag,
  },
  examples: [
    { about: 'a token', line: 'authcli issue-ptn-token --ptn-cd alice' },
    {
      about: 'sign in with it',
      line: 'authcli issue-ptn-token --ptn-cd alice | authcli signin --ptn-token -',
    },
    {
      about: 'for a script',
      line: 'authcli issue-ptn-token --ptn-cd alice --json | jq -r .ptn_token',
    },
  ],
  run: async ({ ptnCd, clientId, secretKey }, session) => {
    const { context } = session;
    const environment = { now: context.now(), randomBytes: context.randomBytes };
    const token = reveal(issue(ptnCd, { clientId, secretKey }, environment));
    if ((await findUser(ptnCd, session)) === undefined) {
      session.note(
        `${escapeControls(ptnCd)} is not known in this profile, and \`emulate service\` knows no others; a sign-up makes the user known:\nauthcli simulate-signup --ptn-cd ${shellWord(ptnCd)}`,
      );
    }
    return {
      fields: { ptn_token: token, ptn_cd: reveal(ptnCd), client_id: reveal(clientId) },
      lines: [token],
    };
  },
});
