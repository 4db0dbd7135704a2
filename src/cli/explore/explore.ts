import { defineCommand } from '../command.ts';
import { exploreFlags } from './explore-flags.ts';

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
