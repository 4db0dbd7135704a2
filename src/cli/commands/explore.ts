import { defineCommand } from '../command.ts';
import { exploreFlags } from '../explore/explore-flags.ts';

export const explore = defineCommand({
  path: 'explore',
  about:
    'Finds faults of state and order in a callback endpoint, or with --auth-url in a service: sends sequences of valid and malformed requests of several users, one after another and at the same time, and compares each response with a model of what the other side may respond. Reports the first failure with the fewest steps that show it. Exits with 0 only if nothing failed.',
  flags: exploreFlags,
  exclusive: [
    ['replay', 'seed'],
    ['replay', 'operations'],
    ['replay', 'list'],
    ['replay', 'duration'],
    ['url', 'authUrl'],
  ],
  idle: ({ authUrl }) => (authUrl === undefined ? ['secretKey', 'expireTimeZone'] : []),
  needs: ({ list, url, authUrl, secretKey, ptnTokenCommand }) => {
    if (list) return [];
    if (authUrl === undefined || url !== undefined) return ['url'];
    // Tokens that are issued here are for the emulated service, whose secret has a default.
    return secretKey === undefined && ptnTokenCommand !== undefined ? ['secretKey'] : [];
  },
  notes: [
    'Run verify first: what fails there makes every sequence fail. What the interface leaves open may be answered either way, but the same way each time.',
    '--reset names a program that brings the endpoint back to a clean state, such as ./restart.sh, or a URL that is sent a POST. It runs at the beginning, and before each attempt to repeat or shorten a failure: without it, a failure that leaves the endpoint broken is not made shorter. It must end only once the endpoint responds. Behind emulate, the emulator resets itself.',
    'A failure is made shorter with new users for each attempt, repeated, and saved; --replay runs it again. If it fails only now and then, it is called flaky.',
    '--auth-url explores /process/token and /process/authenticate of a service, with the registered users of the profile or of --user-codes, and a new ptn_token each time: for the emulated service it is issued here, for another --ptn-token-command prints it. Expired tokens are sent if --expire-time-zone is set and --expiry-wait is long enough. Use two or more stored users, so that mix-ups are detected.',
    'Every request names its operation in the header X-Authcli-Check. The application retains the test users, whose codes contain authcli- or a number; use a test system.',
  ],
  examples: {
    'half a minute': 'authcli explore --url http://localhost:8080/callback',
    'in a pipeline, the same sequences each time':
      'authcli explore --url http://localhost:8080/callback --runs 200 --seed ci',
    'the two operations of a service, here the emulated one':
      'authcli explore --auth-url http://127.0.0.1:8081',
  },
  // Not async: on a signal the outcome is there at once, before the run counts as stopped.
  run: (options, session) => {
    const loaded = import('../explore/exploration.ts');
    return loaded.then(({ Exploring }) => new Exploring(options, session).start());
  },
});
