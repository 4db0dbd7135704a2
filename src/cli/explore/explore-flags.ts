import { readUserCodes } from '../../conformance/test-data.ts';
import { cipherFlag, clientIdFlag, urlFlag } from '../args/flags.ts';
import { list, type OptionsOf, optional, optionally, toggle } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty } from '../args/values.ts';
import { reportFlag } from '../verify/report-files.ts';

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
    'requests of a sequence (default: mostly under 40, at most 260)',
    { parse: integer(1, 10_000) },
  ),
  users: optional('--users <n>', 'users of a sequence (default: mostly 1 to 5, at most 100)', {
    parse: integer(1, 1000),
  }),
  concurrency: optional('--concurrency <n>', 'requests at the same time (default: 4)', {
    parse: integer(1, 8),
  }),
  userCodes: optional('--user-codes <file>', 'use these ptn_cd values, one per line', {
    input: 'file',
    parse: readUserCodes,
  }),
  operations: list('--operations <id>', 'send only these; globs such as registration/*', {
    input: 'word',
    candidates: 'explore-operation',
    parse: nonEmpty,
  }),
  list: toggle('--list', 'list the operations without sending anything'),
  replay: optional('--replay <file>', 'run a saved failure again', { input: 'file' }),
  save: optional('--save <file>', 'where a failure is saved (default: authcli-explore-SEED.json)', {
    input: 'path',
    parse: nonEmpty,
  }),
  report: reportFlag,
  ...networkFlags,
} as const;

export type ExploreCommandOptions = OptionsOf<typeof exploreFlags>;
