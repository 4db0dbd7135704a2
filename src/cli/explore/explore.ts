import { readUserCodes } from '../../conformance/test-data.ts';
import { cipherFlag, clientIdFlag, optionalUrlFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { appFlags, networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { reportFlag } from '../verify/report-files.ts';

const exploreFlags = {
  url: optionalUrlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  duration: flag('--duration <duration>', 'how long (default: 30s, or until --runs)', {
    parse: duration,
  }),
  runs: flag('--runs <n>', 'how many sequences', { parse: integer(1, 1_000_000_000) }),
  seed: flag('--seed <text>', 'the same sequences again', { input: 'word', parse: nonEmpty }),
  maxSteps: flag(
    '--max-steps <n>',
    'requests of a sequence (default: mostly under 40, at most 260)',
    { parse: integer(1, 10_000) },
  ),
  users: flag('--users <n>', 'users of a sequence (default: mostly 1 to 5, at most 100)', {
    parse: integer(1, 1000),
  }),
  concurrency: flag('--concurrency <n>', 'requests at the same time (default: 4)', {
    parse: integer(1, 8),
  }),
  userCodes: flag('--user-codes <file>', 'use these ptn_cd values, one per line', {
    input: 'file',
    parse: readUserCodes,
  }),
  operations: flag('--operations <id...>', 'send only these; globs such as registration/*', {
    input: 'word',
    candidates: 'explore-operation',
    parse: nonEmpty,
  }),
  list: flag('--list', 'list the operations without sending anything'),
  replay: flag('--replay <file>', 'run a saved failure again', { input: 'file' }),
  save: flag('--save <file>', 'where a failure is saved (default: authcli-explore-SEED.json)', {
    input: 'path',
    parse: nonEmpty,
  }),
  report: reportFlag,
  ...appFlags,
  ...networkFlags,
} as const;

export type ExploreOptions = OptionsOf<typeof exploreFlags>;

export const explore = defineCommand({
  path: 'explore',
  about:
    'Finds faults of state and order in a callback endpoint: sends sequences of valid and malformed requests of several users, one after another and at the same time, and compares each response with a model of what the application may respond. Reports the first failure with the fewest steps that show it. Exits with 0 only if nothing failed.',
  flags: exploreFlags,
  exclusive: [
    ['replay', 'seed'],
    ['replay', 'operations'],
    ['replay', 'list'],
    ['replay', 'duration'],
  ],
  needs: ({ list }) => (list ? [] : ['url']),
  notes: [
    'Run verify first: what fails there makes every sequence fail. What the interface leaves open may be answered either way, but the same way each time.',
    'A failure is made shorter with new users for each attempt, repeated, and saved; --replay runs it again. If it fails only now and then, it is called flaky.',
    'Every request names its operation in the header X-Authcli-Check. The application retains the test users, whose codes contain authcli- or a number; use a test system.',
  ],
  examples: {
    'half a minute': 'authcli explore --url http://localhost:8080/callback',
    'in a pipeline, the same sequences each time':
      'authcli explore --url http://localhost:8080/callback --runs 200 --seed ci',
    'a saved failure again':
      'authcli explore --url http://localhost:8080/callback --replay authcli-explore-ci.json',
  },
  // Not async: on a signal the outcome is there at once, before the run counts as stopped.
  run: (options, session) => {
    const loaded = import('./exploration.ts');
    return loaded.then(({ runExplore }) => runExplore(options, session));
  },
});
