import { commands, type ReceivingCommand } from './hostile/commands.ts';
import { startPeer } from './hostile/peer.ts';
import type { HostileResponse } from './hostile/response.ts';
import { responses } from './hostile/responses.ts';
import { TrialEnvironment, tryAsProcess, tryJson, tryOnTerminal } from './hostile/trial.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** How many responses are tried at the same time: some of them are waits. */
const concurrency = 4;

/** How much of the catalogue is tried: every Nth response, each with some commands. */
export interface Extent {
  readonly every: number;
  /** In this process, under --json. */
  readonly asJson: number;
  /** In this process, on a terminal, with all that can be shown. */
  readonly onTerminal: number;
  /** As processes of the installed program: every Nth of the responses, with one command. */
  readonly asProcess: number;
}

const everything: Extent = { every: 1, asJson: commands.length, onTerminal: 2, asProcess: 1 };
const sample: Extent = { every: 4, asJson: 1, onTerminal: 1, asProcess: 10 };

/** Gives hostile answers to the commands that receive; the commands take turns where not all do. */
export async function hostileResponses({ quick }: HardeningOptions): Promise<SectionResult> {
  const { failures, responded, handledResponses, runs, handledRuns, processes, peakMegabytes } =
    await tryResponses(quick ? sample : everything);
  return {
    failures,
    rows: [
      row('hostile responses', responded, handledResponses, 400),
      row('  runs of commands that received them', runs, handledRuns, 5000),
      {
        what: '  processes, and the largest',
        tried: processes,
        outcome: 'MB of memory',
        count: peakMegabytes,
        atLeast: 400,
      },
    ],
  };
}

function row(what: string, tried: number, count: number, atLeast: number) {
  return { what, tried, count, atLeast, outcome: 'handled' };
}

/** What came of the trials. */
interface Counts {
  responded: number;
  handledResponses: number;
  runs: number;
  handledRuns: number;
  processes: number;
  peakMegabytes: number;
  readonly failures: string[];
}

/** Tries that much of the catalogue. */
export async function tryResponses(extent: Extent): Promise<Counts> {
  const environment = new TrialEnvironment();
  const counts = {
    ...{ responded: 0, handledResponses: 0, runs: 0, handledRuns: 0, failures: [] },
    ...{ processes: 0, peakMegabytes: 0 },
  };
  const left = responses.filter((_, index) => index % extent.every === 0).entries();
  const work = async (): Promise<void> => {
    for (const [index, response] of left) {
      await tryResponse(response, plan(index, extent), environment, counts);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    environment.remove();
  }
  counts.peakMegabytes = Math.ceil(environment.peakBytes / 2 ** 20);
  return counts;
}

type Plan = readonly { readonly command: ReceivingCommand; readonly trial: typeof tryJson }[];

/** Which commands get the response of that index, and how. */
function plan(index: number, { asJson, onTerminal, asProcess }: Extent): Plan {
  const turns = (first: number, count: number) =>
    Array.from({ length: count }, (_, step) => commands[(first + step) % commands.length]).filter(
      (command) => command !== undefined,
    );
  const processes = index % asProcess === 0 ? 1 : 0;
  return [
    ...turns(index, asJson).map((command) => ({ command, trial: tryJson })),
    ...turns(3 * index, onTerminal).map((command) => ({ command, trial: tryOnTerminal })),
    ...turns(index / asProcess, processes).map((command) => ({ command, trial: tryAsProcess })),
  ];
}

async function tryResponse(
  response: HostileResponse,
  trials: Plan,
  environment: TrialEnvironment,
  counts: Counts,
): Promise<void> {
  const server = await startPeer(response);
  let isHandled = true;
  try {
    for (const { command, trial } of trials) {
      const failures = await trial(response, command, server.url, environment);
      counts.runs += 1;
      if (trial === tryAsProcess) counts.processes += 1;
      if (failures.length === 0) {
        counts.handledRuns += 1;
        continue;
      }
      isHandled = false;
      counts.failures.push(`${command.name}, ${response.name}: ${failures.join('; ')}`);
    }
  } finally {
    await server.close();
  }
  counts.responded += 1;
  if (isHandled) counts.handledResponses += 1;
}
