import type { AvailableFault, Detail, Revealed } from '../watch/view/wire.ts';

/** What the server said no to. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The page's own address, token included; everything it asks for stands below. */
const base = location.pathname.endsWith('/') ? location.pathname : `${location.pathname}/`;

/** Where the events come from. */
export const eventsUrl = `${base}events`;

interface Answer {
  readonly ok?: boolean;
  readonly error?: { readonly message: string; readonly hint: string };
}

async function ask<T>(method: string, path: string, fields?: unknown): Promise<T> {
  const response = await fetch(base + path, {
    method,
    cache: 'no-store',
    credentials: 'omit',
    ...(fields !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }),
  });
  const answer = (await response.json()) as Answer;
  if (response.ok) return answer as T;
  const { message, hint } = answer.error ?? { message: 'The emulator refused.', hint: '' };
  throw new Refused(response.status, hint === '' ? message : `${message} ${hint}`);
}

/** What a sign-up came to. */
export interface SignupResult {
  readonly ptn_cd: string;
  readonly signed_up: boolean;
  readonly diagnosis?: { readonly code: string; readonly message: string };
}

/** What the page asks the emulator for. Each rejects with {@link Refused}, or TypeError where nobody answers. */
export const api = {
  detail: (id: number) => ask<Detail>('GET', `exchange?id=${id}`),
  reveal: (id: number, item: string) => ask<Revealed>('POST', 'reveal', { id, item }),
  clear: () => ask<unknown>('POST', 'clear', {}),
  faults: () => ask<{ readonly available: readonly AvailableFault[] }>('GET', 'faults'),
  switchOn: (fault: { readonly name: string; readonly times?: number; readonly ptn_cd?: string }) =>
    ask<unknown>('POST', 'faults', fault),
  switchOff: (name?: string) =>
    ask<unknown>(
      'DELETE',
      name === undefined ? 'faults' : `faults?name=${encodeURIComponent(name)}`,
    ),
  signUp: (order: Readonly<Record<string, string>>) => ask<SignupResult>('POST', 'signup', order),
};
