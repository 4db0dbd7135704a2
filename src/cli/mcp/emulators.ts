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
import {
  callCommand,
  givenBy,
  inputSchema,
  type JsonSchema,
  type Tool,
  type ToolResult,
  type ToolServer,
} from './tools.ts';

/** At the same time. */
const mostEmulators = 8;

/** Without `last`: a journal may be longer than an agent can read. */
const shownCalls = 20;

const common = ['port', 'fault', 'latency', 'clientId', 'cipher'];

/** How each side is emulated, and which of its options calls may give. */
const sides = {
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

type SideName = keyof typeof sides;

const text: JsonSchema = { type: 'string' };

interface Running {
  readonly journal: Journal;
  readonly close: () => Promise<void>;
}

/** The tools that run emulators; those that still run end with `stop`. */
export function emulatorTools(server: ToolServer) {
  const running = new Map<string, Running>();
  let started = 0;
  /** They count too: an agent may start many at once. */
  let starting = 0;

  const find = (id: unknown): Running => {
    const found = running.get(String(id));
    if (found !== undefined) return found;
    const ids = [...running.keys()].join(', ');
    const hint = ids === '' ? 'Start one with emulate_start.' : `Running: ${ids}.`;
    throw usage(`No emulator has the id ${JSON.stringify(id)}.`, hint);
  };

  /** With the options of its command; returns as soon as it listens. */
  // biome-ignore lint/suspicious/noExplicitAny: each side reads its own options, which its flags give
  const start = async (side: SideName, options: any, session: Session): Promise<Outcome> => {
    if (running.size + starting >= mostEmulators)
      throw usage(`${mostEmulators} emulators are running.`, 'Stop one with emulate_stop.');
    starting += 1;
    try {
      const { open, path } = sides[side];
      const emulation: Emulation = await open(options, session);
      const tls = await openTls(emulation.options, session);
      const { server: listening } = await listen(emulation, tls, session);
      started += 1;
      const id = `${side}-${started}`;
      const close = async () => {
        await listening.close();
        await session.finish();
      };
      running.set(id, { journal: listening.journal, close });
      return { fields: { id, side, url: `${listening.url}${path}` }, lines: [] };
    } finally {
      starting -= 1;
    }
  };

  /** Stops one, or all; returns their ids. */
  const stop = async (id?: unknown): Promise<readonly string[]> => {
    const ids = id === undefined ? [...running.keys()] : [String(id)];
    const stopped = ids.map(find);
    for (const each of ids) running.delete(each);
    await Promise.all(stopped.map(({ close }) => close()));
    return ids;
  };

  const own = { command: 'emulate', isReadOnly: false } as const;
  const done = (fields: Readonly<Record<string, unknown>>): ToolResult => {
    return { document: { ok: true, command: own.command, ...fields }, isError: false };
  };
  const tools: readonly Tool[] = [
    {
      ...own,
      name: 'emulate_start',
      description:
        'start the service, or a reference application, on loopback, with faults if wanted; returns its id and url',
      input: {
        ...inputSchema(emulateService.flags, sides.service.options, {
          side: { enum: Object.keys(sides) },
        }),
        required: ['side'],
      },
      run: async (call, control) => {
        const side = call.side as SideName;
        const { command, options } = sides[side];
        const given = givenBy(call, command.flags, options, server);
        const run: AnyCommand['run'] = (read, session) => start(side, read, session);
        return callCommand({ ...command, run }, { given, ...control }, server);
      },
    },
    {
      ...own,
      name: 'emulate_stop',
      description: 'stop one emulator, or all',
      input: { type: 'object', properties: { id: text } },
      run: async ({ id }) => done({ stopped: await stop(id) }),
    },
    {
      ...own,
      name: 'emulate_journal',
      description: 'the calls that an emulator received, and how it responded',
      input: {
        type: 'object',
        properties: {
          id: text,
          ptn_cd: text,
          operation: { enum: ['key-exchange', 'registration', 'token', 'authenticate'] },
          code: text,
          fault: text,
          after: { type: 'integer', minimum: 0, description: 'only calls with a greater seq' },
          last: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: `default ${shownCalls}`,
          },
        },
        required: ['id'],
      },
      isReadOnly: true,
      run: async ({ id, ptn_cd: ptnCd, last = shownCalls, ...filter }) => {
        const { journal } = find(id);
        const entries = journal.read({ ...filter, ptnCd, last } as JournalFilter);
        return done({ id, total: journal.total, entries });
      },
    },
  ];
  return { tools, stop };
}
