import { counted } from '../../text.ts';
import type { ActiveFault, AvailableFault, Hello } from '../wire.ts';
import { api, messageOf } from './api.ts';
import { button, byId, copyable, h } from './dom.ts';

/** The faults that can be switched on, and those that are. */
export class FaultDialog {
  readonly #dialog = byId('faults', HTMLDialogElement);
  readonly #search = byId('fault-search', HTMLInputElement);
  readonly #list = byId('fault-list', HTMLElement);
  readonly #chips = byId('active-faults', HTMLElement);
  readonly #say: (text: string) => void;
  #available: readonly AvailableFault[] = [];
  #active: readonly ActiveFault[] = [];

  constructor(say: (text: string) => void) {
    this.#say = say;
    this.#search.addEventListener('input', () => this.#fill());
    byId('fault-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#switchOn();
    });
    byId('fault-close', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
  }

  async open(): Promise<void> {
    try {
      this.#available = (await api.faults()).available;
    } catch (error) {
      return this.#say(messageOf(error));
    }
    this.#search.value = '';
    this.#fill();
    this.#dialog.showModal();
    this.#search.focus();
  }

  /** Shows the faults that are on, each with a way to switch it off. */
  show(active: readonly ActiveFault[], { side }: Pick<Hello, 'side'>): void {
    if (JSON.stringify(active) === JSON.stringify(this.#active)) return;
    this.#active = active;
    const chips = active.map((fault) =>
      h(
        'li',
        {},
        `fault ${fault.name}${durationText(fault)} `,
        button('×', () => void this.#switchOff(fault.name), {
          'aria-label': `Turn off ${fault.name}`,
        }),
      ),
    );
    this.#chips.replaceChildren(...chips);
    this.#chips.hidden = active.length === 0;
    this.#chips.setAttribute('aria-label', `Active faults of the emulated ${side}`);
  }

  #fill(): void {
    const wanted = this.#search.value.trim().toLowerCase().split(/\s+/);
    const fitting = this.#available.filter(({ name, title, diagnosis }) => {
      const text = `${name} ${title} ${diagnosis}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    this.#list.replaceChildren(...fitting.map((fault, index) => faultChoice(fault, index === 0)));
    if (fitting.length === 0) this.#list.append(h('p', { class: 'muted' }, 'No faults match.'));
  }

  async #switchOn(): Promise<void> {
    const form = new FormData(byId('fault-form', HTMLFormElement));
    const name = String(form.get('fault') ?? '');
    if (name === '') return;
    const times = form.get('span') === 'calls' ? Number(form.get('times')) : undefined;
    const user = String(form.get('user') ?? '').trim();
    try {
      await api.switchOn({ name, times, ...(user !== '' && { ptn_cd: user }) });
      this.#dialog.close();
      this.#say(`The fault ${name} is on.`);
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  async #switchOff(name: string): Promise<void> {
    await api.switchOff(name).then(
      () => this.#say(`The fault ${name} is off.`),
      (error: unknown) => this.#say(messageOf(error)),
    );
  }
}

function faultChoice({ name, title, diagnosis }: AvailableFault, isFirst: boolean): HTMLElement {
  return h(
    'label',
    { class: 'choice' },
    h('input', { type: 'radio', name: 'fault', value: name, checked: isFirst }),
    h('span', {}, h('strong', {}, title), h('code', { class: 'muted' }, `${name} → ${diagnosis}`)),
  );
}

function durationText({ times, ptn_cd: user }: ActiveFault): string {
  const calls = times === undefined ? '' : `, ${counted(times, 'more call')}`;
  return `${calls}${user === undefined ? '' : `, for ${user}`}`;
}

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
