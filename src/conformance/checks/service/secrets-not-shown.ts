import { type Exchange, responseOf } from '../../../client/exchange.ts';
import { responseText } from '../../../client/recording.ts';
import type { Secret } from '../../../crypto/secret.ts';
import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { fail } from '../../expect.ts';
import { outsideNames } from '../../malformed-sign-in.ts';
import { acsTokenIn, type ServiceCheckDefinition, type ServiceContext } from '../../service.ts';
import { provokeRefusal } from '../../service-refusals.ts';

const fix =
  'Remove it from the response and its headers: check for a debug field, an entity that is serialised with all its fields, and an error message that repeats the request. Replace what was shown.';

/** Who sends the secret outside of the body invites an error page to repeat it. */
const inviting: ReadonlySet<string | undefined> = new Set<string>(outsideNames);

export const secretsNotShown: ServiceCheckDefinition = {
  id: 'service/secrets-not-shown',
  title: 'must not show secret_key, per-user key or plain passcode in any response',
  section: '5',
  sentence:
    "secret_key is held only on the application's server. User data is protected by the per-user key. The key itself travels only RSA-encrypted.",
  stage: 'review',
  needs: ['service/issues-token'],
  run: async (context) => {
    await provokeRefusal(context);
    const wasAuthenticated = context.signIn.authenticate !== undefined;
    if (!wasAuthenticated) await context.authenticate(acsTokenIn(context.tokenOutcome()));
    const secrets = await secretsOf(context);
    for (const { exchange, operation, malformed } of context.base.record.exchanges) {
      const text = inviting.has(malformed) ? '' : textOf(exchange);
      const shown = secrets.filter(([, secret]) => context.service.contains(text, secret));
      if (shown.length === 0) continue;
      const names = shown.map(([name]) => name).join(' and ');
      const message = `A response to the ${operation} request contains ${names}. ${risk}`;
      fail({
        harm: 'leaks',
        expected: 'no secret in any response',
        observed: `${names} in a response to the ${operation} request`,
        diagnosis: diagnosis('key-leaked', message, fix),
        evidence: exchange,
      });
    }
    const unknown = ['secret_key', 'the per-user key', 'the passcode'].filter((name) =>
      secrets.every(([known]) => known !== name),
    );
    if (unknown.length === 0) return;
    return {
      notes: [
        `Not searched for, as unknown here or so short that it may occur by chance: ${unknown.join(' and ')}.`,
      ],
    };
  },
};

const risk =
  "Whoever reads a response, a log or a proxy's traffic can then call the service as the application, or decrypt the data of its users.";

/** What a response doesn't contain by chance: a short text or a single word may. */
function canBeFound(text: string): boolean {
  return text.length >= 8 && !/^[a-z_-]{1,15}$/i.test(text);
}

async function secretsOf({ service, signIn, base }: ServiceContext) {
  const ptnCd = service.ptnCd ?? signIn.token?.reading?.seen.ptnCd;
  const { key, superPasscode } = ptnCd === undefined ? {} : await service.lookUpUser(ptnCd);
  const named: readonly (readonly [string, Secret | undefined])[] = [
    ['secret_key', service.secretKey],
    ['the per-user key', key],
    ['the passcode', superPasscode],
  ];
  const { clientId } = base.environment;
  return named.filter((pair): pair is readonly [string, Secret] => {
    const text = pair[1]?.reveal() ?? '';
    return canBeFound(text) && text !== ptnCd && text !== clientId;
  });
}

function textOf(exchange: Exchange): string {
  const response = responseOf(exchange);
  return response === undefined ? '' : responseText(response);
}
