import { defineCommand } from '../command.ts';
import { relayFlags } from './relay-flags.ts';
import { runRelay } from './relay-run.ts';

export const relay = defineCommand({
  path: 'relay',
  about:
    'Forwards real traffic between the service and your application, and judges each exchange as it passes: callbacks go to --to, token and authenticate to --auth-url. Runs until it is stopped; then it exits with 0 if no relayed exchange was wrong, and with 1 otherwise.',
  flags: relayFlags,
  endsWithSignal: true,
  notes: [
    "Register the printed callback URL in place of your application's, and give the application the printed {auth_url}. Paths and queries are forwarded as they come; of the headers only Host is changed, to the host of the target.",
    "With --decrypt the service's public_key is replaced by one of the relay's own, in the same size and form, and each enc_partner_key is encrypted again for the service: both sides work as without it. It refuses to listen beyond loopback without --only.",
    'If the other side is unreachable, the caller gets HTTP 502 with the reason as JSON.',
  ],
  examples: {
    'between the service and an application on this machine':
      'authcli relay --to http://localhost:8080/callback --port 8090',
    'both directions, read and recorded':
      'authcli relay --to http://localhost:8080/callback --auth-url https://auth.example.com/api --decrypt --record session.jsonl',
    'learn the settings of the real service':
      'authcli relay --to http://localhost:8080/callback --decrypt --only "test-*" --save-settings',
  },
  run: runRelay,
});
