/** What Artillery calls for each of its virtual users; `load export` writes it into one file, processor.mjs. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createTransport } from '../client/transport.ts';
import { preciseNow } from '../clock.ts';
import type { LoadTask } from './job.ts';
import { signUps } from './scenario.ts';

/** What Artillery hands over; the target is that of its configuration, which may replace the URL of the settings. */
interface VirtualUser {
  readonly vars?: Readonly<Record<string, unknown>>;
}

/** settings.json, beside this file. */
export interface ExportedSettings extends Omit<LoadTask, 'keyPairs'> {
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

let attempt: ReturnType<typeof prepare> | undefined;

/** One sign-up, its key unwrapped and checked; throws the diagnosis, so that Artillery counts a failure. */
export async function signUp(
  user: VirtualUser,
  events: { emit(kind: 'counter' | 'histogram', name: string, value: number): void },
): Promise<void> {
  attempt ??= prepare(user);
  const startedAt = preciseNow();
  const { ok, stepsMs, diagnosis } = await attempt();
  const latencyMs = preciseNow() - startedAt;
  events.emit('counter', ok ? 'authcli.succeeded' : 'authcli.failed', 1);
  if (ok || diagnosis?.code === 'timeout') {
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

function prepare({ vars }: VirtualUser) {
  const { timeoutMs, headers, ...settings } = readJson('settings.json') as ExportedSettings;
  const keyPairs = readJson('key-pairs.json') as readonly string[];
  const url = typeof vars?.target === 'string' ? vars.target : settings.url;
  const wire = { timeoutMs, headers: Object.entries(headers), now: preciseNow };
  const transport = createTransport(wire);
  const signUpOnce = signUps({ ...settings, url, keyPairs }, { randomBytes, now: preciseNow });
  return () => signUpOnce(transport);
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}
