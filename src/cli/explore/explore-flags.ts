import { cipherFlag, clientIdFlag, urlFlag } from '../args/flags.ts';
import { networkFlags } from '../args/network-flags.ts';
import { list, type OptionsOf, optional, optionally, toggle } from '../args/options.ts';
import { duration, integer, nonEmpty } from '../args/values.ts';

export const exploreFlags = {
  url: optionally(urlFlag),
  clientId: clientIdFlag,
  cipher: cipherFlag,
  duration: optional('--duration <duration>', 'how long (default: 30s, or until --runs)', {
    parse: duration,
  }),
  runs: optional('--runs <n>', 'how many sequences', { parse: integer(1, 1_000_000_000) }),
  seed: optional('--seed <text>', 'the same sequences again', { input: 'word', parse: nonEmpty }),
  maxSteps: optional(
    '--max-steps <n>',
    'callbacks of a sequence (default: mostly under 40, at most 260)',
    { parse: integer(1, 10_000) },
  ),
  users: optional('--users <n>', 'users of a sequence (default: mostly 1 to 5, at most 100)', {
    parse: integer(1, 1000),
  }),
  concurrency: optional('--concurrency <n>', 'callbacks at the same time (default: 4)', {
    parse: integer(1, 8),
  }),
  operations: list('--operations <id>', 'send only these; globs such as registration/*', {
    input: 'word',
    parse: nonEmpty,
  }),
  list: toggle('--list', 'list the operations without sending anything'),
  replay: optional('--replay <file>', 'run a saved failure again', { input: 'file' }),
  save: optional('--save <file>', 'where a failure is saved (default: authcli-explore-SEED.json)', {
    input: 'path',
    parse: nonEmpty,
  }),
  ...networkFlags,
} as const;

export type ExploreCommandOptions = OptionsOf<typeof exploreFlags>;
