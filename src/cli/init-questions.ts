import { cipherPresets } from '../crypto/cipher-presets.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { findSetting, type SettingName, type Settings } from '../state/settings.ts';
import { escapeControls } from '../text.ts';
import type { InitChecks, Tried } from './init-checks.ts';
import { findIt, removeIt } from './init-flags.ts';
import type { Choice, Prompts } from './questions.ts';
import type { Session } from './session.ts';
import { isReference, readSetting, shownSetting } from './setting-values.ts';

/** What the questions go by. */
export interface Interview {
  readonly prompts: Prompts;
  /** The settings as they are: what Enter alone keeps. */
  readonly present: Settings;
  /** What was answered so far. */
  readonly answers: Settings;
  readonly checks: InitChecks;
  readonly session: Session;
}

/** The settings that are asked for. */
export type Asked = 'url' | 'client-id' | 'auth-url' | 'secret-key' | 'cipher' | 'expireTimeZone';

/** Each question: gives the answer, {@link removeIt}, or undefined for what stays as it is. */
export const questions: Readonly<
  Record<Asked, (interview: Interview) => Promise<string | undefined>>
> = {
  url: (interview) => askUrl('url', "The application's callback URL", interview),
  'client-id': askClientId,
  'auth-url': (interview) => askUrl('auth-url', "The service's address, {auth_url}", interview),
  'secret-key': askSecret,
  cipher: askCipher,
  expireTimeZone: askTimeZone,
};

/** The question with what else can be answered than a value. */
function asked(what: string, present: string | undefined, empty: string): string {
  return present === undefined ? `${what} (empty: ${empty}):` : `${what} (${removeIt} removes it):`;
}

async function askUrl(
  name: 'url' | 'auth-url',
  what: string,
  { prompts, present, checks }: Interview,
): Promise<string | undefined> {
  const answer = await prompts.text({
    message: asked(what, present[name], 'later'),
    fallback: present[name],
    check: twice(async (text) => wrongWith(name, text) ?? (await trouble(name, text, checks))),
  });
  return answer === '' ? undefined : answer;
}

function askClientId({ prompts, present }: Interview): Promise<string> {
  const before = present['client-id'];
  const what = 'The Application Client ID';
  return prompts.text({
    message: before === undefined ? `${what}:` : asked(what, before, ''),
    fallback: before ?? defaultClientId,
    check: async (text) => wrongWith('client-id', text),
  });
}

async function askSecret(interview: Interview): Promise<string | undefined> {
  const { prompts, present, session } = interview;
  const before = present['secret-key'];
  const kept = before === undefined ? undefined : shownSetting('secret-key', before, session);
  const how = await prompts.choose({
    message: 'The application server secret key:',
    choices: [
      ...(kept === undefined ? [] : [{ value: 'keep', label: `as it is: ${kept}` } as const]),
      {
        value: 'reference',
        label: 'say where it is: env:NAME, file:PATH or cmd:COMMAND',
        about: 'Only this is stored; the secret is read at each use.',
      },
      {
        value: 'typed',
        label: 'type it in, unseen',
        about: 'It is stored in the config file, which only you can read.',
      },
      ...(kept === undefined
        ? [{ value: 'keep', label: 'later' } as const]
        : [{ value: 'remove', label: 'remove it from the profile' } as const]),
    ],
  });
  if (how === 'keep') return undefined;
  if (how === 'remove') return removeIt;
  return how === 'reference' ? askReference(interview) : askUnseen(interview);
}

function askReference({ prompts, checks }: Interview): Promise<string> {
  return prompts.text({
    message: 'Where it is:',
    check: twice(async (text) =>
      isReference(text)
        ? trouble('secret-key', text, checks)
        : 'A reference is written env:NAME, file:PATH or cmd:COMMAND.',
    ),
  });
}

async function askUnseen({ prompts, session }: Interview): Promise<string> {
  const secret = await prompts.text({
    message: 'The secret key:',
    hidden: true,
    check: async (text) => (text === '' || text === removeIt ? 'A value is needed.' : undefined),
  });
  if (!isReference(secret)) session.secrets.add(secret);
  return secret;
}

async function askCipher({ prompts, present, answers }: Interview): Promise<string | undefined> {
  const url = answers.url ?? present.url;
  const [usual] = cipherPresets;
  const before = present.cipher ?? usual?.cipher ?? '';
  const found: Choice<string> = {
    value: findIt,
    label: 'find out',
    about: `Signs some 40 test users up at ${url}, which keeps them, and sees what it accepts.`,
  };
  const list: Choice<string>[] = [
    {
      value: before,
      label: present.cipher === undefined ? `the usual one: ${before}` : `as it is: ${before}`,
      about: present.cipher === undefined ? usual?.description : undefined,
    },
    ...(url === undefined ? [] : [found]),
    { value: 'list', label: 'one from the list, by what your application is written in' },
    { value: 'notation', label: 'write it down', about: 'The notation: authcli help ciphers' },
    ...(present.cipher === undefined
      ? []
      : [
          {
            value: removeIt,
            label: 'remove it from the profile',
            about: `Then it is ${usual?.cipher}.`,
          },
        ]),
  ].map(({ about, ...choice }) => (about === undefined ? choice : { ...choice, about }));
  const how = await prompts.choose({
    message: 'The cipher of the per-user key (the interface leaves it open):',
    choices: list,
  });
  if (how === 'list') return askPreset(prompts);
  return how === 'notation' ? askNotation(prompts, before) : how;
}

function askPreset(prompts: Prompts): Promise<string> {
  const byCipher = new Map(cipherPresets.map((preset) => [preset.name, preset]));
  return prompts
    .choose({
      message: 'The cipher:',
      choices: [...byCipher.values()].map(({ name, cipher, description }) => ({
        value: name,
        label: description,
        about: cipher,
      })),
    })
    .then((name) => byCipher.get(name)?.cipher ?? '');
}

function askNotation(prompts: Prompts, fallback: string): Promise<string> {
  return prompts.text({
    message: 'The cipher:',
    fallback,
    check: async (text) => wrongWith('cipher', text),
  });
}

async function askTimeZone({ prompts, present }: Interview): Promise<string | undefined> {
  const { expireTimeZone: fallback } = present;
  const what = 'The time zone of expire_dt, such as Asia/Seoul or +09:00';
  const answer = await prompts.text({
    message: asked(what, fallback, 'not known'),
    fallback,
    check: async (text) => wrongWith('expireTimeZone', text),
  });
  return answer === '' ? undefined : answer;
}

/** Why a text can't be the value of a setting; undefined if it can, or if it is empty and the setting may stay open. */
function wrongWith(name: SettingName, text: string): string | undefined {
  if (text === removeIt || (text === '' && name !== 'client-id')) return undefined;
  try {
    readSetting(findSetting(name), text);
    return undefined;
  } catch (error) {
    if (error instanceof AuthcliError && error.code === 'usage')
      return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

async function trouble(name: Tried, text: string, checks: InitChecks): Promise<string | undefined> {
  const found = ['', removeIt].includes(text) ? undefined : await checks.of(name, text);
  if (found === undefined || found.status === 'ok') return undefined;
  return `${escapeControls(`${found.message} ${found.hint}`.trim())} Enter again keeps it all the same.`;
}

/** Lets an answer through that is given a second time although something is wrong on the way to what it names. */
function twice(
  check: (answer: string) => Promise<string | undefined>,
): (answer: string) => Promise<string | undefined> {
  let warnedOf: string | undefined;
  return async (answer) => {
    if (answer === warnedOf) return undefined;
    const wrong = await check(answer);
    warnedOf = wrong?.endsWith('all the same.') ? answer : undefined;
    return wrong;
  };
}
