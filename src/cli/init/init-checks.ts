import { type DoctorCheck, fine, judgeWay, odd } from '../../diagnosis/doctor.ts';
import { hasCode } from '../../errors.ts';
import { tokenUrl } from '../../protocol/endpoints.ts';
import type { Settings } from '../../state/settings.ts';
import { isReference } from '../args/input.ts';
import { openNetwork, transportOptions } from '../network.ts';
import type { Session } from '../session.ts';
import type { Asked, InitOptions } from './init-questions.ts';

/** Checks each answer once: does the endpoint respond, does the reference lead to a secret? */
export class InitChecks {
  readonly #options: InitOptions;
  readonly #session: Session;
  readonly #found = new Map<string, Promise<DoctorCheck>>();

  constructor(options: InitOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** Undefined where there is nothing to check. Problems are in the result. */
  async of(name: Asked, value: string): Promise<DoctorCheck | undefined> {
    if (this.#options.noCheck || (name === 'secret-key' && !isReference(value))) return undefined;
    const key = `${name} ${value}`;
    const check = this.#found.get(key) ?? this.#check(name, value);
    if (check !== undefined) this.#found.set(key, check);
    return check;
  }

  #check(name: Asked, value: string): Promise<DoctorCheck> | undefined {
    if (name === 'secret-key') return this.#secret(value);
    if (name === 'url') return this.#endpoint(name, new URL(value));
    return name === 'auth-url' ? this.#endpoint(name, tokenUrl(value)) : undefined;
  }

  async ofAll(answers: Settings): Promise<readonly DoctorCheck[]> {
    const checks: DoctorCheck[] = [];
    for (const name of ['url', 'auth-url', 'secret-key'] as const) {
      const value = answers[name];
      const check = value === undefined ? undefined : await this.of(name, value);
      if (check !== undefined) checks.push(check);
    }
    return checks;
  }

  async #endpoint(id: Asked, url: URL): Promise<DoctorCheck> {
    const options = { ...this.#options, har: undefined, curl: false };
    try {
      const transport = await openNetwork(options, this.#session);
      const { surveyWay } = await import('../../client/survey.ts');
      const settings = transportOptions(options, this.#session);
      const facts = await surveyWay({ url, options: settings, transport });
      const found = judgeWay(facts, this.#session.context.now());
      const trouble = found.find(({ status }) => status === 'failure');
      return trouble === undefined
        ? fine(id, `${url.host} answers.`)
        : odd(id, trouble.message, trouble.hint);
    } catch (error) {
      return notFollowed(id, error);
    }
  }

  async #secret(value: string): Promise<DoctorCheck> {
    try {
      const text = await this.#session.input.followReference(value, 'secret-key');
      this.#session.secrets.add(text);
      return text === ''
        ? odd('secret-key', `${value} resolves to an empty value.`, 'Give another reference.')
        : fine('secret-key', `${value} resolves to a secret.`);
    } catch (error) {
      return notFollowed('secret-key', error);
    }
  }
}

function notFollowed(id: Asked, error: unknown): DoctorCheck {
  if (hasCode(error, 'usage')) return odd(id, error.message, error.hint);
  throw error;
}
