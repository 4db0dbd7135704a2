import { type DemoRun, runDemo } from '../../app/demo.ts';
import { journalRedaction } from '../../app/emulation.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { reveal } from '../../reports/redact.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { demoLines } from '../emulate/demo-lines.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/style.ts';

export const demo = defineCommand({
  path: 'demo',
  about:
    'Starts an application and the service on loopback, signs a user up and in over HTTP, and explains each step. Nothing is saved.',
  flags: {},
  examples: {
    'every step': 'authcli demo',
    'with keys and passcodes': 'authcli demo --show-secrets',
    'did it work?': 'authcli demo --json | jq .ok',
  },
  run: async (_, session) => {
    const progress = session.progress('Signing a user up and in');
    const { context, secrets } = session;
    const { now, signal } = context;
    const transport = await context.openTransport({ timeoutMs: 5000, now, signal });
    session.atEnd(() => transport.close());
    const run = await runDemo({
      environment: context,
      transport,
      secrets,
      redaction: journalRedaction(session.showsSecrets, secrets),
      atEnd: (close) => session.atEnd(close),
    }).finally(() => progress.stop());
    return report(run, session);
  },
});

function report(run: DemoRun, session: Session): Outcome {
  const { signup, signin, input, servers } = run;
  session.secrets.show(input.ptnCd);
  const calls = [...signup.steps, signin?.token, signin?.authenticate].filter(
    (call) => call !== undefined,
  );
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: servers.clientId,
      url: servers.callbackUrl.href,
      auth_url: servers.authUrl,
      key_fingerprint: signup.keyFingerprint ?? null,
      steps: calls.map((call) => ({ ...callReport(call), duration_ms: durationOf(call) })),
      passcode: signin?.passcode ?? 'not-checked',
    },
    lines: demoLines(run, {
      style: session.style,
      width: widthOf(session.context.stdout),
      redact: (value) => session.redact(value),
    }),
    failure: signup.ok && signin?.ok === true ? undefined : (signin?.diagnosis ?? signup.diagnosis),
  };
}
