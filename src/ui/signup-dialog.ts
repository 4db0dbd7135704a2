import type { Hello } from '../watch/view/wire.ts';
import { api, messageOf } from './api.ts';
import { byId, copyable, h } from './dom.ts';

/** Sends a sign-up and shows it. */
export class SignupDialog {
  readonly #dialog = byId('signup', HTMLDialogElement);
  readonly #form = byId('signup-form', HTMLFormElement);
  readonly #how = byId('signup-how', HTMLElement);
  readonly #commands = byId('signup-commands', HTMLElement);
  readonly #result = byId('signup-result', HTMLElement);
  readonly #say: (text: string) => void;
  readonly #look: (ptnCd: string) => void;

  constructor(say: (text: string) => void, look: (ptnCd: string) => void) {
    this.#say = say;
    this.#look = look;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    byId('signup-close', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
  }

  open({ side, callbackUrl, tryIt }: Hello): void {
    const isOurs = callbackUrl === null;
    byId('signup-url', HTMLElement).hidden = !isOurs;
    const url = this.#form.elements.namedItem('callback_url') as HTMLInputElement;
    url.required = isOurs;
    url.disabled = !isOurs;
    this.#result.textContent = '';
    const target = callbackUrl === null ? 'your application' : callbackUrl;
    // A command sends sign-ups to the emulated application too; the service has commands of its own.
    const lines = side === 'application' ? tryIt : [];
    this.#how.replaceChildren(
      h('p', {}, `Sends both callbacks to ${target}. Empty fields are generated.`),
    );
    this.#commands.replaceChildren(
      ...lines.flatMap(({ about, line }) => [h('p', {}, about), copyable(line)]),
    );
    this.#dialog.showModal();
    this.#form.querySelector<HTMLInputElement>('input:enabled')?.focus();
  }

  async #send(): Promise<void> {
    const given = [...new FormData(this.#form)].filter(([, value]) => value !== '');
    const order = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
    this.#result.textContent = 'Signing up…';
    try {
      const { ptn_cd: user, signed_up: isSignedUp, diagnosis } = await api.signUp(order);
      this.#dialog.close();
      this.#say(
        isSignedUp
          ? `${user} is signed up.`
          : `${user} could not be signed up: ${diagnosis?.code ?? 'it failed'}.`,
      );
      this.#look(user);
    } catch (error) {
      this.#result.textContent = messageOf(error);
    }
  }
}
