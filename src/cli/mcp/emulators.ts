import { callbackPath } from '../../emulator/application.ts';
import type { Journal, JournalFilter } from '../../emulator/journal.ts';
import type { AnyCommand, Outcome } from '../command.ts';
import {
  applicationEmulation,
  emulateApp,
  emulateService,
  serviceEmulation,
} from '../emulate/emulate.ts';
import { type Emulation, listen } from '../emulate/emulation.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { openTls } from '../tls/open-tls.ts';
import { inputSchema, type JsonSchema, type ToolArguments } from './tools.ts';

/** At the same time. */
const mostEmulators = 8;

/** Without `last`: a journal may be longer than an agent can read. */
const shownCalls = 20;

const common = ['port', 'fault', 'latency', 'clientId', 'cipher'];

/** How each side is emulated, and which of its options calls may give. */
export const emulatedSides = {
  application: {
    command: emulateApp as AnyCommand,
    options: common,
    open: applicationEmulation,
    path: callbackPath,
  },
  service: {
    command: emulateService as AnyCommand,
    options: [...common, 'secretKey', 'expireTimeZone'],
    open: serviceEmulation,
    path: '',
  },
} as const;

export type SideName = keyof typeof emulatedSides;

export const startSchema: JsonSchema = {
  ...inputSchema(emulateService.flags, emulatedSides.service.options, {
    side: { enum: Object.keys(emulatedSides) },
  }),
  required: ['side'],
};

const text: JsonSchema = { type: 'string' };

export const stopSchema: JsonSchema = { type: 'object', properties: { id: text } };

export const journalSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: text,
    ptn_cd: text,
    operation: { enum: ['key-exchange', 'registration', 'token', 'authenticate'] },
    code: text,
    fault: text,
    after: { type: 'integer', minimum: 0, description: 'only calls with a greater seq' },
    last: { type: 'integer', minimum: 1, maximum: 1000, description: `default ${shownCalls}` },
  },
  required: ['id'],
};

interface Running {
  readonly journal: Journal;
  readonly close: () => Promise<void>;
}

/** The emulators that an agent has started; they end with the server. */
export class Emulators {
  readonly #running = new Map<string, Running>();
  #started = 0;
  /** They count too: an agent may start many at once. */
  #starting = 0;

  /** Starts a side, with the options of its command; returns as soon as it listens. */
  // biome-ignore lint/suspicious/noExplicitAny: each side reads its own options, which its flags give
  async start(side: SideName, options: any, session: Session): Promise<Outcome> {
    if (this.#running.size + this.#starting >= mostEmulators)
      throw usage(`${mostEmulators} emulators are running.`, 'Stop one with emulate_stop.');
    this.#starting += 1;
    try {
      const { open, path } = emulatedSides[side];
      const emulation: Emulation = await open(options, session);
      const tls = await openTls(emulation.options, session);
      const { server } = await listen(emulation, tls, session);
      this.#started += 1;
      const id = `${side}-${this.#started}`;
      this.#running.set(id, {
        journal: server.journal,
        close: async () => {
          await server.close();
          await session.finish();
        },
      });
      return { fields: { id, side, url: `${server.url}${path}` }, lines: [] };
    } finally {
      this.#starting -= 1;
    }
  }

  /** The calls that an emulator received, oldest first, redacted. */
  journal(given: ToolArguments): Readonly<Record<string, unknown>> {
    const { id, ptn_cd: ptnCd, last = shownCalls, ...filter } = given;
    const { journal } = this.#find(id);
    const entries = journal.read({ ...filter, ptnCd, last } as JournalFilter);
    return { id, total: journal.total, entries };
  }

  /** Stops one, or all; returns their ids. */
  async stop(id?: unknown): Promise<readonly string[]> {
    const ids = id === undefined ? [...this.#running.keys()] : [String(id)];
    const stopped = ids.map((each) => this.#find(each));
    for (const each of ids) this.#running.delete(each);
    await Promise.all(stopped.map((running) => running.close()));
    return ids;
  }

  #find(id: unknown): Running {
    const found = this.#running.get(String(id));
    if (found !== undefined) return found;
    const ids = [...this.#running.keys()].join(', ');
    const running = ids === '' ? 'Start one with emulate_start.' : `Running: ${ids}.`;
    throw usage(`No emulator has the id ${JSON.stringify(id)}.`, running);
  }
}
