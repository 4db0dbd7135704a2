import type { Hello } from '../watch/view/wire.ts';
import { api } from './api.ts';
import { byId, copyButton, h } from './dom.ts';
import { messageOf } from './fault-dialog.ts';

/** Sends a sign-up, where the emulator can, and says how to send one where it can't. What was sent is then looked at. */
export class SignupDialog {
  readonly #dialog = byId('signup', HTMLDialogElement);
  readonly #form = byId('signup-form', HTMLFormElement);
  readonly #how = byId('signup-how', HTMLElement);
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

  /** Shows what this emulator can do about a sign-up. */
  open({ side, callbackUrl, tryIt }: Hello): void {
    this.#form.hidden = callbackUrl === null;
    this.#result.textContent = '';
    const text =
      callbackUrl !== null
        ? `Both callbacks go to ${callbackUrl}. What is left empty is made up.`
        : side === 'application'
          ? 'This is the application: sign-ups come to it. Send one from another terminal.'
          : 'This service does not know where your application listens. Start it again with its address.';
    const lines = callbackUrl === null ? tryIt : [];
    this.#how.replaceChildren(
      h('p', {}, text),
      ...lines.map(({ about, line }) =>
        h(
          'div',
          { class: 'try' },
          h('p', {}, about),
          h('pre', {}, h('code', {}, line)),
          copyButton(line),
        ),
      ),
    );
    this.#dialog.showModal();
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
