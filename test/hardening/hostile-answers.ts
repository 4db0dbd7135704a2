import type { HostileAnswer } from './hostile/answer.ts';
import { answers } from './hostile/answers.ts';
import { commands, type ReceivingCommand } from './hostile/commands.ts';
import { startPeer } from './hostile/peer.ts';
import { TrialWorld, tryAsProcess, tryJson, tryOnTerminal } from './hostile/trial.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** How many answers are tried at the same time: some of them are waits. */
const concurrency = 4;

type Trial = typeof tryJson;

interface Counts {
  answers: number;
  handledAnswers: number;
  runs: number;
  handledRuns: number;
  readonly failures: string[];
}

/**
 * Gives every hostile answer to every command that receives: in this process as JSON and on a
 * terminal, and with one command or more as a process of its own. A quick run gives each answer to
 * some of the commands, and every few of them to a process.
 */
export async function hostileAnswers({ quick }: HardeningOptions): Promise<SectionResult> {
  const world = new TrialWorld();
  const counts: Counts = { answers: 0, handledAnswers: 0, runs: 0, handledRuns: 0, failures: [] };
  const left = answers.map((answer, index) => ({ answer, index }));
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await tryAnswer(next.answer, plan(next.index, quick), world, counts);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    world.remove();
  }
  const { failures } = counts;
  return {
    failures,
    rows: [
      row('hostile answers', counts.answers, counts.handledAnswers, 90),
      row('  runs of commands that received them', counts.runs, counts.handledRuns, 1800),
    ],
  };
}

function row(what: string, tried: number, count: number, atLeast: number) {
  return { what, tried, count, atLeast, outcome: 'handled' };
}

type Plan = readonly { readonly command: ReceivingCommand; readonly trial: Trial }[];

/** Which commands get the answer of that index, and how. */
function plan(index: number, quick: boolean): Plan {
  const turn = (step: number) => commands[(index + step) % commands.length];
  const several = quick ? [turn(0), turn(3), turn(7)] : commands;
  const processes = quick ? (index % 5 === 0 ? [turn(0)] : []) : [turn(0), turn(5)];
  const with_ = (list: readonly (ReceivingCommand | undefined)[], trial: Trial): Plan =>
    list.flatMap((command) => (command === undefined ? [] : [{ command, trial }]));
  return [
    ...with_(several, tryJson),
    ...with_(several, tryOnTerminal),
    ...with_(processes, tryAsProcess),
  ];
}

async function tryAnswer(
  answer: HostileAnswer,
  trials: Plan,
  world: TrialWorld,
  counts: Counts,
): Promise<void> {
  const server = await startPeer(answer);
  let isHandled = true;
  try {
    for (const { command, trial } of trials) {
      const failures = await trial(answer, command, server.url, world);
      counts.runs += 1;
      if (failures.length === 0) {
        counts.handledRuns += 1;
        continue;
      }
      isHandled = false;
      counts.failures.push(`${command.name}, ${answer.name}: ${failures.join('; ')}`);
    }
  } finally {
    await server.close();
  }
  counts.answers += 1;
  if (isHandled) counts.handledAnswers += 1;
}
