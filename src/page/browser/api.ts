import type { AvailableFault, Detail, Hello, Revealed, Update } from '../wire.ts';

/** The page's own address, token included. */
const base = location.pathname.endsWith('/') ? location.pathname : `${location.pathname}/`;

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
  const body = await response.json();
  if (response.ok) return body as T;
  const { message, hint } = body.error as { readonly message: string; readonly hint: string };
  throw new Error(`${message} ${hint}`.trim());
}

/** What went wrong, as a sentence. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'authcli does not respond. Is it still running?';
  return error instanceof Error ? error.message : 'The request failed.';
}

export interface SignupResult {
  readonly ptn_cd: string;
  readonly signed_up: boolean;
  readonly diagnosis?: { readonly code: string; readonly message: string };
}

/** The requests of the page. Each rejects with what was refused, or with TypeError without a response. */
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

/** `other-run`: the emulator or relay was restarted with another token. */
export type Connected = 'live' | 'waiting' | 'other-run';

interface Listeners {
  readonly hello: (hello: Hello) => void;
  readonly update: (update: Update) => void;
  readonly state: (state: Connected) => void;
}

const reconnectMs = 1500;

/** Listens to the emulator or relay, and reconnects. */
export function connect(listeners: Listeners): void {
  const source = new EventSource(`${base}events`);
  const on = <T>(name: string, take: (data: T) => void): void => {
    source.addEventListener(name, (event) => take(JSON.parse(event.data as string) as T));
  };
  on<Hello>('hello', (hello) => {
    listeners.state('live');
    listeners.hello(hello);
  });
  on<Update>('update', listeners.update);
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return listeners.state('waiting');
    // Refused, not lost: the browser does not reconnect by itself.
    source.close();
    void whyClosed().then(listeners.state);
    setTimeout(() => connect(listeners), reconnectMs);
  });
}

async function whyClosed(): Promise<Connected> {
  const response = await fetch(`${base}faults`).catch(() => undefined);
  return response?.status === 403 ? 'other-run' : 'waiting';
}
