import { defineCommand } from '../command.ts';
import { loadExclusive, loadFlags } from '../load-flags.ts';
import { LoadSession } from '../load-session.ts';

export const load = defineCommand({
  path: 'load',
  about:
    'Signs many users up, as fast as the application answers or at a set rate: both callbacks for each, every key that comes back unwrapped, checked and compared with those of the other users. Says how long sign-ups take, and of what failed why, in the words of a single sign-up. With --scenario signin it signs known users in at a service.',
  flags: loadFlags,
  exclusive: loadExclusive,
  idle: ({ scenario }) => (scenario === 'signin' ? [] : ['secretKey']),
  notes: [
    'Without --rate or --stage so many run at the same time, the next as soon as one has ended (closed model). With them sign-ups begin at their times, whether earlier ones have ended or not, and a latency counts from the time at which it was meant to begin (open model): so waiting users are counted. Latencies are of sign-ups that succeeded, and of those that ran into --timeout.',
    'Exit statuses: 0 all succeeded and every threshold was kept; 1 a threshold was missed or, unless --max-errors says how many may, anything failed; 3 nothing answered at all; 130 interrupted, with the report of what ran.',
    'Only this machine is loaded just so: any other host has to be named by --allow-host too. Workers are threads; on this machine half of what it runs at the same time, so that the application has the rest. --trace, --curl and --har show one sign-up made before the run.',
    'For more than one machine: authcli load export.',
  ],
  examples: [
    {
      about: 'ten seconds, 16 at the same time',
      line: 'authcli load --url http://localhost:8080/callback',
    },
    {
      about: 'a set rate, with what it must keep to',
      line: 'authcli load --url http://localhost:8080/callback --rate 50 --duration 30s --max-p99 200ms --max-errors 1%',
    },
    {
      about: 'a report to look at',
      line: 'authcli load --url http://localhost:8080/callback --signups 1000 --report html=load.html',
    },
  ],
  run: (options, session) => new LoadSession(options, session).start(),
});
