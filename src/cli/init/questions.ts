import { cipherPresets } from '../../crypto/cipher-notation.ts';
import type { DoctorCheck } from '../../diagnosis/doctor.ts';
import { hasCode, stacks } from '../../errors.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { findSetting, type Settings } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import { isReference } from '../args/input.ts';
import { readSetting, shownSetting } from '../args/setting-values.ts';
import type { Session } from '../session.ts';
import type { Choice, Prompts } from '../terminal/prompts.ts';

/** Has the cipher found by a probe. */
export const findIt = 'find';

export interface Interview {
  readonly prompts: Prompts;
  /** The settings as they are with the answers so far: Enter alone keeps them. */
  readonly present: Settings;
  readonly check: (name: Asked, value: string) => Promise<DoctorCheck | undefined>;
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

type Question = (interview: Interview) => Promise<string | undefined>;

/** Each resolves to the answer, or undefined to leave the setting as it is. */
export const questions: Readonly<Record<Asked, Question>> = {
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
function askText(
  name: Exclude<Asked, 'secret-key' | 'cipher'>,
  what: string,
  empty?: string,
): Question {
  return async ({ prompts, present, check }) => {
    const before = present[name];
    const open = before !== undefined || empty === undefined ? '' : ` (empty: ${empty})`;
    const answer = await prompts.text({
      message: `${what}${open}:`,
      fallback: before ?? (name === 'client-id' ? defaultClientId : undefined),
      check: refusedOrWarned(
        (text) => (text === '' && empty !== undefined ? undefined : wrongWith(name, text)),
        async (text) => (text === '' ? undefined : check(name, text)),
      ),
    });
    return answer === '' ? undefined : answer;
  };
}

async function askSecret({ prompts, present, check, session }: Interview) {
  const before = present['secret-key'];
  const kept = before && shownSetting('secret-key', before, session);
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
      ...(kept === undefined ? [{ value: 'keep', label: 'later' } as const] : []),
    ],
  });
  if (how === 'keep') return undefined;
  if (how === 'reference') {
    const noReference = 'A reference has the form env:NAME, file:PATH or cmd:COMMAND.';
    return prompts.text({
      message: 'The reference:',
      check: refusedOrWarned(
        (text) => (isReference(text) ? undefined : noReference),
        (text) => check('secret-key', text),
      ),
    });
  }
  const secret = await prompts.text({
    message: 'The secret key:',
    hidden: true,
    check: async (text) => (text === '' ? 'A value is required.' : undefined),
  });
  if (!isReference(secret)) session.secrets.add(secret);
  return secret;
}

async function askCipher({ prompts, present: { url, cipher } }: Interview) {
  const [usual] = cipherPresets;
  const before = cipher ?? usual?.cipher ?? '';
  const choices: Choice<string>[] = [
    cipher === undefined
      ? { value: before, label: `the default: ${before}`, about: usual?.description }
      : { value: before, label: `keep: ${before}` },
    { value: 'list', label: 'choose from a list by language' },
    { value: 'notation', label: 'enter the notation', about: 'The notation: authcli help ciphers' },
  ];
  if (url !== undefined) {
    const about = `Signs up about 40 test users at ${url}, which retains them, and checks what it accepts.`;
    choices.splice(1, 0, { value: findIt, label: 'probe it', about });
  }
  const how = await prompts.choose({
    message: 'The cipher of the per-user key (not defined by the interface):',
    choices,
  });
  const message = 'The cipher:';
  if (how === 'notation') {
    const check = async (text: string) => wrongWith('cipher', text);
    return prompts.text({ message, fallback: before, check });
  }
  if (how !== 'list') return how;
  const presets = cipherPresets.map(({ name, cipher: about, description: label }) => ({
    value: name,
    label,
    about,
  }));
  const chosen = await prompts.choose({ message, choices: presets });
  return cipherPresets.find(({ name }) => name === chosen)?.cipher;
}

/** Undefined if the text is valid. */
function wrongWith(name: Asked, text: string): string | undefined {
  try {
    readSetting(findSetting(name), text);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'usage')) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

/** Rejects invalid answers, and warns once: the same answer again is accepted. */
function refusedOrWarned(
  refusalOf: (answer: string) => string | undefined,
  check: (answer: string) => Promise<DoctorCheck | undefined>,
): (answer: string) => Promise<string | undefined> {
  let warnedOf: string | undefined;
  return async (answer) => {
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === warnedOf) return refusal;
    const found = await check(answer);
    if (found === undefined || found.status === 'ok') return undefined;
    warnedOf = answer;
    const trouble = escapeControls(`${found.message} ${found.hint}`.trim());
    return `${trouble} Press Enter again to keep it anyway.`;
  };
}
