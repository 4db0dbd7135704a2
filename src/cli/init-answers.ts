import { defaultCipher, formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { verdict } from '../reports/human.ts';
import { findSetting, type SettingName, type Settings } from '../state/settings.ts';
import { findCipher } from './cipher-finding.ts';
import { usage } from './hints.ts';
import type { InitChecks } from './init-checks.ts';
import { findIt, type InitOptions, removeIt } from './init-flags.ts';
import { type Asked, type Interview, questions } from './init-questions.ts';
import { openNetwork } from './network.ts';
import type { Prompts } from './questions.ts';
import type { Session } from './session.ts';
import { isReference, readSetting } from './setting-values.ts';

/** What the answers come from. */
interface Sources {
  readonly options: InitOptions;
  readonly present: Settings;
  readonly checks: InitChecks;
  /** Undefined where nobody is asked. */
  readonly prompts: Prompts | undefined;
  readonly session: Session;
}

/** What is to become of the profile; settings that stay as they are are in neither. */
export interface Answers {
  readonly set: Settings;
  readonly removed: readonly SettingName[];
}

/**
 * The settings that are answered, by a flag or else by a question. Rejects with AuthcliError `usage`
 * for a setting that is both given and taken out and for a cipher that is to be found without a URL,
 * and with the diagnosis of a probe that found none, where nobody can be asked for another.
 */
export async function collectAnswers(sources: Sources): Promise<Answers> {
  const { options, prompts } = sources;
  const given: Readonly<Record<Asked, string | undefined>> = {
    url: options.url,
    'client-id': options.clientId,
    'auth-url': options.authUrl,
    'secret-key': givenSecret(sources),
    cipher: options.cipher,
    expireTimeZone: options.expireTimeZone,
  };
  const both = options.unset.find((name) => given[name as Asked] !== undefined);
  if (both !== undefined)
    throw usage(
      `${both} is given and unset at once.`,
      'Leave one of the two out; what is given may also stand in the environment.',
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

/** The settings but for those that go. */
export function without(settings: Settings, removed: readonly SettingName[]): Settings {
  const left = Object.entries(settings).filter(([name]) => !removed.includes(name as SettingName));
  return Object.fromEntries(left);
}

/** A secret from the environment stays there: its name is stored. */
function givenSecret({ options, session }: Sources): string | undefined {
  const { secretKey } = options;
  if (secretKey === undefined || isReference(secretKey)) return secretKey;
  session.secrets.add(secretKey);
  const { AUTHCLI_SECRET_KEY: fromEnvironment } = session.context.env;
  return secretKey === fromEnvironment ? 'env:AUTHCLI_SECRET_KEY' : secretKey;
}

/** A probe that finds nothing is told, and the question put again. */
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

/** Whether it is something to be told and asked again, and no wish to end. */
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
    throw usage('The cipher can be found only at a callback endpoint.', 'Give --url as well.');
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
    const { code, message, hint } = diagnosis ?? { code: 'usage', message: 'None.', hint: '' };
    throw new AuthcliError(code, message, { hint });
  }
  const found = formatCipher(cipher);
  prompts?.say(verdict(true, `The application expects ${found}.`, session.style));
  return found;
}
