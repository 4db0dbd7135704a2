import { defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher, parseCipher } from '../../crypto/cipher-notation.ts';
import { AuthcliError } from '../../errors.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { verdict } from '../../reports/human.ts';
import { findSetting, type SettingName, type Settings } from '../../state/settings.ts';
import { isReference } from '../args/input.ts';
import { readSetting } from '../args/setting-values.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { findCipher } from '../simulate/cipher-finding.ts';
import type { Prompts } from '../terminal/prompts.ts';
import type { InitChecks } from './init-checks.ts';
import {
  type Asked,
  findIt,
  type InitOptions,
  type Interview,
  questions,
  removeIt,
} from './init-questions.ts';

interface Sources {
  readonly options: InitOptions;
  readonly present: Settings;
  readonly checks: InitChecks;
  /** Undefined where the user can't be asked. */
  readonly prompts: Prompts | undefined;
  readonly session: Session;
}

/** Changes of the profile; unchanged settings are in neither. */
export interface Answers {
  readonly set: Settings;
  readonly removed: readonly SettingName[];
}

/**
 * The answers from flags and questions. Rejects with `usage` for a setting both given and unset, and for
 * `--cipher find` without a URL; without prompts also with the diagnosis of a probe that found none.
 */
export async function collectAnswers(sources: Sources): Promise<Answers> {
  const { options, prompts, session } = sources;
  const given: Readonly<Record<Asked, string | undefined>> = {
    url: options.url,
    'client-id': options.clientId,
    'auth-url': options.authUrl,
    'secret-key': givenSecret(sources),
    cipher: options.cipher,
    'expire-time-zone': options.expireTimeZone,
    stack: session.global.stack,
  };
  const both = options.unset.find((name) => given[name as Asked] !== undefined);
  if (both !== undefined)
    throw usage(
      `${both} is both given and unset.`,
      'Leave one of the two out; the value may also come from the environment.',
    );
  const removed = [...options.unset];
  let answers: Settings = {};
  for (const name of Object.keys(questions) as Asked[]) {
    if (removed.includes(name)) continue;
    const present = without(sources.present, removed);
    const interview = prompts && { ...sources, present, prompts, answers };
    const value =
      name === 'cipher'
        ? await cipherAnswer(given.cipher, { ...sources, present, answers }, interview)
        : (given[name] ?? (await (interview && questions[name](interview))));
    if (value === removeIt && given[name] === undefined) removed.push(name);
    else if (value !== undefined)
      answers = { ...answers, [name]: readSetting(findSetting(name), value) };
  }
  return { set: answers, removed };
}

/** The settings except those named. */
export function without(settings: Settings, removed: readonly SettingName[]): Settings {
  const left = Object.entries(settings).filter(([name]) => !removed.includes(name as SettingName));
  return Object.fromEntries(left);
}

/** A secret from the environment is stored as a reference. */
function givenSecret({ options, session }: Sources): string | undefined {
  const { secretKey } = options;
  if (secretKey === undefined || isReference(secretKey)) return secretKey;
  session.secrets.add(secretKey);
  const { AUTHCLI_SECRET_KEY: fromEnvironment } = session.context.env;
  return secretKey === fromEnvironment ? 'env:AUTHCLI_SECRET_KEY' : secretKey;
}

/** Asks again if the probe finds nothing. */
async function cipherAnswer(
  given: string | undefined,
  sources: Sources & { readonly answers: Settings },
  interview: Interview | undefined,
): Promise<string | undefined> {
  for (let answer = given; ; answer = undefined) {
    answer ??= await (interview && questions.cipher(interview));
    if (answer !== findIt) return answer;
    try {
      return await probed(sources);
    } catch (error) {
      if (interview === undefined || !isNoStop(error)) throw error;
      interview.prompts.say(`  ${error.message} ${error.hint}`.trimEnd());
    }
  }
}

/** Whether the question can be repeated. */
function isNoStop(error: unknown): error is AuthcliError {
  return error instanceof AuthcliError && !['interrupted', 'terminated'].includes(error.code);
}

async function probed({
  options,
  present,
  answers,
  prompts,
  session,
}: Sources & { readonly answers: Settings }): Promise<string> {
  const url = answers.url ?? present.url;
  if (url === undefined)
    throw usage('Probing the cipher needs a callback endpoint.', 'Give --url as well.');
  const transport = await openNetwork(options, session);
  const keyPair = await session.context.generateKeyPair(2048);
  const { cipher, diagnosis } = await findCipher(
    {
      url: new URL(url),
      clientId: answers['client-id'] ?? present['client-id'] ?? defaultClientId,
      cipher: present.cipher === undefined ? defaultCipher : parseCipher(present.cipher),
      limit: 256,
      privateKey: [{ key: keyPair, notes: [] }],
      noUserInfo: false,
    },
    transport,
    session,
  );
  if (cipher === undefined) {
    if (diagnosis === undefined) throw new AuthcliError('usage', 'None.');
    throw new AuthcliError(diagnosis.code, diagnosis.message, diagnosis);
  }
  const found = formatCipher(cipher);
  prompts?.say(verdict(true, `The application expects ${found}.`, session.style));
  return found;
}
