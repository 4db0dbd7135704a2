import {
  exchangeKey,
  type KeyExchangeInput,
  type KeyExchangeOutcome,
  keyExchangeRequest,
} from '../../client/signup.ts';
import { verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { dryRun } from '../dry-run.ts';
import { noteKeyLength } from '../known-user.ts';
import { openNetwork } from '../network.ts';
import { keyPairs } from '../service-key-pair.ts';
import type { Session } from '../session.ts';
import { userCode } from '../simulated-user.ts';
import { callbackFlags, keyPairExclusive, keyPairFlags } from '../simulation-flags.ts';
import { reportSteps } from '../simulation-report.ts';

export const simulateKeyExchange = defineCommand({
  path: 'simulate-key-exchange',
  about:
    'Plays the service: sends only the key-exchange callback (used_type "1") and opens the key that comes back (4.1.1). The key is kept in the profile.',
  flags: { ...callbackFlags, ...keyPairFlags },
  exclusive: keyPairExclusive,
  examples: [
    {
      about: 'a made-up user',
      line: 'authcli simulate-key-exchange --url http://localhost:8080/callback',
    },
    {
      about: 'a new key for a known user',
      line: 'authcli simulate-key-exchange --url http://localhost:8080/callback --ptn-cd alice',
    },
    {
      about: 'with a larger key pair',
      line: 'authcli simulate-key-exchange --url http://localhost:8080/callback --key-bits 4096',
    },
  ],
  run: async (options, session) => {
    const { url, clientId } = options;
    const ptnCd = userCode(options.ptnCd, session);
    const input = {
      url,
      clientId,
      ptnCd,
      ...(await keyPairs(options, session)),
      now: session.context.now(),
    };
    if (options.dryRun) return dryRun([keyExchangeRequest(input)], ptnCd, session);
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Exchanging a key with ${url.href}`);
    const outcome = await exchangeKey(transport, input).finally(() => progress.stop());
    session.secrets.add(outcome.key);
    if (!options.noSave && outcome.ok && outcome.key !== undefined) {
      await (await session.state()).users.put({ ptnCd, key: outcome.key, state: 'known' });
    }
    return report(outcome, input, session);
  },
});

function report(outcome: KeyExchangeOutcome, input: KeyExchangeInput, session: Session): Outcome {
  const { key, ok, diagnosis } = outcome;
  const { style } = session;
  if (key !== undefined) noteKeyLength(key, session);
  const { steps, lines } = reportSteps([outcome], session);
  const fingerprint = key === undefined ? null : key.toString();
  const user = escapeControls(input.ptnCd);
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: reveal(input.clientId),
      url: input.url.href,
      key_fingerprint: fingerprint,
      steps,
      ...(session.showsSecrets && { key: key?.reveal() }),
    },
    lines: [
      `Key exchange for ${style.bold(user)} at ${input.url.href}`,
      ...lines,
      ...(ok ? [verdict(true, `The key of ${user} is ${fingerprint}.`, style)] : []),
    ],
    failure: ok ? undefined : diagnosis,
  };
}
