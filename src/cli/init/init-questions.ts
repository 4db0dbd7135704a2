import { cipherPresets, formatCipher, parseCipher } from '../../crypto/cipher-notation.ts';
import { hasCode, stacks } from '../../errors.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { findSetting, type SettingName, type Settings } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import { authUrlFlag, cipherFlag, clientIdFlag, secretKeyFlag, urlFlag } from '../args/flags.ts';
import { isReference } from '../args/input.ts';
import { list, type OptionsOf, optional, toggle } from '../args/options.ts';
import { readSetting, shownSetting, timeZone } from '../args/setting-values.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { nonEmpty } from '../args/values.ts';
import type { Session } from '../session.ts';
import type { Choice, Prompts } from '../terminal/prompts.ts';
import type { InitChecks } from './init-checks.ts';

/** Removes a setting from the profile. */
export const removeIt = '-';

/** Has the cipher found by a probe. */
export const findIt = 'find';

export const initFlags = {
  url: optional(urlFlag.syntax, urlFlag.about, { parse: urlText('url') }),
  clientId: optional(clientIdFlag.syntax, clientIdFlag.about, { parse: nonEmpty }),
  authUrl: optional(authUrlFlag.syntax, authUrlFlag.about, { parse: urlText('auth-url') }),
  secretKey: optional(
    secretKeyFlag.syntax,
    `${secretKeyFlag.about}: a reference (env:NAME, file:PATH, cmd:COMMAND), or the secret itself`,
    { parse: nonEmpty },
  ),
  cipher: optional('--cipher <notation>', `${cipherFlag.about}; "${findIt}" probes it`, {
    candidates: 'cipher',
    parse: (text) => (text === findIt ? findIt : formatCipher(parseCipher(text))),
  }),
  expireTimeZone: optional('--expire-time-zone <zone>', 'the time zone of expire_dt', {
    parse: timeZone,
  }),
  unset: list('--unset <setting>', 'remove this setting from the profile', {
    input: 'word',
    candidates: 'setting',
    parse: (text) => findSetting(text).name as SettingName,
  }),
  yes: toggle('--yes', 'ask no questions; settings that are not given stay unchanged'),
  noCheck: toggle('--no-check', "don't check whether the endpoints respond"),
  ...networkFlags,
} as const;

export type InitOptions = OptionsOf<typeof initFlags>;

function urlText(name: 'url' | 'auth-url'): (text: string) => string {
  return (text) => readSetting({ name, kind: 'url', description: '' }, text);
}

export interface Interview {
  readonly prompts: Prompts;
  /** The current settings: Enter alone keeps them. */
  readonly present: Settings;
  readonly answers: Settings;
  readonly checks: InitChecks;
  readonly session: Session;
}

export type Asked =
  | 'url'
  | 'client-id'
  | 'auth-url'
  | 'secret-key'
  | 'cipher'
  | 'expire-time-zone'
  | 'stack';

/** Each resolves to the answer, {@link removeIt}, or undefined to leave the setting as it is. */
export const questions: Readonly<
  Record<Asked, (interview: Interview) => Promise<string | undefined>>
> = {
  url: askText('url', "The application's callback URL", 'later'),
  'client-id': askText('client-id', 'The Application Client ID'),
  'auth-url': askText('auth-url', "The service's address, {auth_url}", 'later'),
  'secret-key': askSecret,
  cipher: askCipher,
  'expire-time-zone': askText(
    'expire-time-zone',
    'The time zone of expire_dt, such as Asia/Seoul or +09:00',
    'not known',
  ),
  stack: askText(
    'stack',
    `The language of your application, for fixes: ${stacks.join(', ')}`,
    'as recognised',
  ),
};

/** Asks for the text of a setting; `empty` is what leaving it open means, if it can be left open. */
function askText(name: Exclude<Asked, 'secret-key' | 'cipher'>, what: string, empty?: string) {
  return async ({ prompts, present, checks }: Interview): Promise<string | undefined> => {
    const before = present[name];
    const open = empty === undefined ? '' : ` (empty: ${empty})`;
    const answer = await prompts.text({
      message: `${what}${before === undefined ? open : ` (${removeIt} removes it)`}:`,
      fallback: before ?? (name === 'client-id' ? defaultClientId : undefined),
      check: refusedOrWarned(
        (text) => wrongWith(name, text),
        (text) => trouble(name, text, checks),
      ),
    });
    return answer === '' ? undefined : answer;
  };
}

async function askSecret(interview: Interview): Promise<string | undefined> {
  const { prompts, present, session } = interview;
  const before = present['secret-key'];
  const kept = before === undefined ? undefined : shownSetting('secret-key', before, session);
  const how = await prompts.choose({
    message: 'The application server secret key:',
    choices: [
      ...(kept === undefined ? [] : [{ value: 'keep', label: `keep: ${kept}` } as const]),
      {
        value: 'reference',
        label: 'give a reference: env:NAME, file:PATH or cmd:COMMAND',
        about: 'Only the reference is stored; the secret is read at each use.',
      },
      {
        value: 'typed',
        label: 'enter it (hidden)',
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
    message: 'The reference:',
    check: refusedOrWarned(
      (text) =>
        isReference(text)
          ? undefined
          : 'A reference has the form env:NAME, file:PATH or cmd:COMMAND.',
      (text) => trouble('secret-key', text, checks),
    ),
  });
}

async function askUnseen({ prompts, session }: Interview): Promise<string> {
  const secret = await prompts.text({
    message: 'The secret key:',
    hidden: true,
    check: async (text) => (text === '' || text === removeIt ? 'A value is required.' : undefined),
  });
  if (!isReference(secret)) session.secrets.add(secret);
  return secret;
}

async function askCipher({ prompts, present, answers }: Interview): Promise<string | undefined> {
  const url = answers.url ?? present.url;
  const [usual] = cipherPresets;
  const before = present.cipher ?? usual?.cipher ?? '';
  const list: Choice<string>[] = [
    present.cipher === undefined
      ? { value: before, label: `the default: ${before}`, about: usual?.description }
      : { value: before, label: `keep: ${before}` },
    { value: 'list', label: 'choose from a list by language' },
    { value: 'notation', label: 'enter the notation', about: 'The notation: authcli help ciphers' },
  ];
  if (url !== undefined) {
    const about = `Signs up about 40 test users at ${url}, which retains them, and checks what it accepts.`;
    list.splice(1, 0, { value: findIt, label: 'probe it', about });
  }
  if (present.cipher !== undefined) {
    const about = `Then it is ${usual?.cipher}.`;
    list.push({ value: removeIt, label: 'remove it from the profile', about });
  }
  const how = await prompts.choose({
    message: 'The cipher of the per-user key (not defined by the interface):',
    choices: list,
  });
  const message = 'The cipher:';
  if (how === 'notation') {
    const check = async (text: string) => wrongWith('cipher', text);
    return prompts.text({ message, fallback: before, check });
  }
  if (how !== 'list') return how;
  const choices = cipherPresets.map(({ name, cipher, description }) => ({
    value: name,
    label: description,
    about: cipher,
  }));
  const chosen = await prompts.choose({ message, choices });
  return cipherPresets.find(({ name }) => name === chosen)?.cipher ?? '';
}

/** Undefined if the text is valid, or empty and the setting optional. */
function wrongWith(name: SettingName, text: string): string | undefined {
  if (text === removeIt || (text === '' && name !== 'client-id')) return undefined;
  try {
    readSetting(findSetting(name), text);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'usage')) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

async function trouble(name: Asked, text: string, checks: InitChecks): Promise<string | undefined> {
  const found = ['', removeIt].includes(text) ? undefined : await checks.of(name, text);
  if (found === undefined || found.status === 'ok') return undefined;
  return `${escapeControls(`${found.message} ${found.hint}`.trim())} Press Enter again to keep it anyway.`;
}

/** Rejects invalid answers, and warns once: the same answer again is accepted. */
function refusedOrWarned(
  refusalOf: (answer: string) => string | undefined,
  warningOf: (answer: string) => Promise<string | undefined>,
): (answer: string) => Promise<string | undefined> {
  let warnedOf: string | undefined;
  return async (answer) => {
    const refusal = refusalOf(answer);
    if (refusal === undefined && answer === warnedOf) return undefined;
    const warning = refusal === undefined ? await warningOf(answer) : undefined;
    warnedOf = warning === undefined ? undefined : answer;
    return refusal ?? warning;
  };
}
