import { checks } from '../../conformance/catalogue.ts';
import { defineCommand } from '../command.ts';
import type { Session } from '../session.ts';
import { type Subject, Verification } from '../verification.ts';
import { type VerifyOptions, verifyFlags } from '../verify-flags.ts';
import { repeatCommand } from '../verify-repeat.ts';
import { createRun } from '../verify-run.ts';

export const verify = defineCommand({
  path: 'verify',
  about:
    'Checks a deployed callback endpoint against the interface: signs test users up, sends what is wrong on purpose, and says of each check whether it holds, what came instead and how to mend it. Every request names its check in the header X-Authcli-Check. Made for CI: it exits 0 only if checks ran and no must failed.',
  flags: verifyFlags,
  exclusive: [['bail', 'updateExpect']],
  needs: ({ list }) => (list ? [] : ['url']),
  notes: [
    'It makes up user codes that begin with authcli-, and lists them in the report; --user-codes gives codes of an application that lets only its own users sign up.',
    'A must is what the interface states and fails the run; a should is what it leaves open, and warns. A check that sends something wrong counts only beside the same request unspoilt, which must be accepted; without that it is skipped.',
    'On GitHub, --format github writes annotations, and the summary of the step where GITHUB_STEP_SUMMARY is set.',
  ],
  examples: [
    { about: 'everything', line: 'authcli verify --url http://localhost:8080/callback' },
    {
      about: 'in a pipeline, as soon as the server is up',
      line: 'authcli verify --url http://localhost:8080/callback --wait 60s --report junit=verify.xml',
    },
    { about: 'what there is to check', line: "authcli verify --list --check 'registration/*'" },
  ],
  run: (options, session) =>
    new Verification(callbackSubject(options, session), options, session).start(),
});

function callbackSubject(options: VerifyOptions, session: Session): Subject {
  return {
    command: 'verify',
    catalogue: checks,
    url: () => options.url as URL, // not asked for by --list, and needed otherwise
    createRun: (parts) => createRun(options, parts, session),
    repeatCommand: (id, seed) => repeatCommand(id, options, seed),
  };
}
