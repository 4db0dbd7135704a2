import type { Hello, Update } from '../watch/view/wire.ts';
import { eventsUrl } from './api.ts';

/** How the page stands with the emulator. */
export type Connected = 'live' | 'waiting' | 'other-run';

/** What the page does about events. */
interface Listeners {
  readonly hello: (hello: Hello) => void;
  readonly update: (update: Update) => void;
  readonly state: (state: Connected) => void;
}

const againMs = 1500;

/** Listens to the emulator, and goes on doing so when it was away. */
export function connect(listeners: Listeners): void {
  const source = new EventSource(eventsUrl);
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
    // Refused, not lost: the browser would not come again by itself.
    source.close();
    void whyClosed().then(listeners.state);
    setTimeout(() => connect(listeners), againMs);
  });
}

async function whyClosed(): Promise<Connected> {
  const response = await fetch(eventsUrl.replace(/events$/, 'faults')).catch(() => undefined);
  return response?.status === 403 ? 'other-run' : 'waiting';
}
