import { defineCommand } from '../command.ts';
import { loadExclusive, loadFlags } from '../load/load-flags.ts';
import { LoadSession } from '../load/load-session.ts';

export const load = defineCommand({
  path: 'load',
  about:
    'Signs up many users, as fast as the application responds or at a fixed rate: sends both callbacks for each user, decrypts and checks every key, and compares it with those of the other users. Reports latencies and diagnoses failures as a single sign-up does. With --scenario signin it signs stored users in at a service.',
  flags: loadFlags,
  exclusive: loadExclusive,
  needs: ({ scenario }) => (scenario === 'signin' ? ['authUrl', 'secretKey'] : ['url']),
  idle: ({ scenario }) => (scenario === 'signin' ? [] : ['secretKey']),
  notes: [
    'Without --rate, a fixed number of sign-ups run concurrently, and each starts when another ends (closed model). With it, sign-ups start on schedule whether earlier ones have ended or not, and latency is measured from the scheduled start (open model), so it includes queueing. Latencies cover sign-ups that succeeded or exceeded --timeout.',
    'A missed threshold, or more failures than --max-errors allows (default: none), ends with exit status 1. An interrupted run still writes its report.',
    'Hosts other than this machine must be confirmed with --allow-host. Workers are threads; against this machine they use half of the cores and leave the rest to the application. --trace, --curl and --har show one sign-up made before the run.',
    'For more than one machine: authcli load export.',
  ],
  examples: {
    'ten seconds, 16 at the same time': 'authcli load --url http://localhost:8080/callback',
    'a fixed rate, with thresholds':
      'authcli load --url http://localhost:8080/callback --rate 50 --duration 30s --max-p99 200ms --max-errors 1%',
    'an HTML report':
      'authcli load --url http://localhost:8080/callback --signups 1000 --report html=load.html',
  },
  run: (options, session) => new LoadSession(options, session).start(),
});
