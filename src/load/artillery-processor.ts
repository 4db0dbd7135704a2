/** What Artillery calls for each of its virtual users; the build makes it one file, processor.mjs. */
import { readFileSync } from 'node:fs';
import { createSignups, type Signups, type SignupsOptions } from './library.ts';

interface Events {
  emit(kind: 'counter' | 'histogram', name: string, value: number): void;
}

/** What Artillery hands over; the target is that of its configuration. */
interface VirtualUser {
  readonly vars?: Readonly<Record<string, unknown>>;
}

let signups: Signups | undefined;

/** One sign-up, its key unwrapped and checked; throws the diagnosis, so that Artillery counts a failure. */
export async function signUp(user: VirtualUser, events: Events): Promise<void> {
  signups ??= createSignups(settingsOf(user));
  const { ok, latencyMs, stepsMs, diagnosis } = await signups.run();
  const isWaiting = diagnosis?.code === 'timeout';
  events.emit('counter', ok ? 'authcli.succeeded' : 'authcli.failed', 1);
  if (ok || isWaiting) {
    events.emit('histogram', 'authcli.latency_ms', latencyMs);
    stepsMs.forEach((ms, index) => {
      const step = index === 0 ? 'key_exchange' : 'registration';
      events.emit('histogram', `authcli.${step}_ms`, ms);
    });
  }
  if (ok || diagnosis === undefined) return;
  events.emit('counter', `authcli.error.${diagnosis.code}`, 1);
  throw Object.assign(new Error(diagnosis.message), { code: diagnosis.code });
}

/** The files beside this one, but for the URL, which Artillery's `target` may replace. */
function settingsOf({ vars }: VirtualUser): SignupsOptions {
  const settings = readJson('settings.json') as Omit<SignupsOptions, 'keyPairs'>;
  const keyPairs = readJson('key-pairs.json') as readonly string[];
  const target = vars?.target;
  return { ...settings, keyPairs, ...(typeof target === 'string' && { url: target }) };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}
