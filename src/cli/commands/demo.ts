import { defaultClientId } from '../../protocol/stand-ins.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { reveal } from '../../reports/redact.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { type DemoRun, runDemo } from '../demo-run.ts';
import { demoStory } from '../demo-story.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../style.ts';

export const demo = defineCommand({
  path: 'demo',
  about:
    'Starts an application and the service on loopback, signs a user up and in through real HTTP, and tells what happens at each step. Nothing is kept.',
  flags: {},
  examples: [
    { about: 'the story', line: 'authcli demo' },
    { about: 'with the keys and passcodes in it', line: 'authcli demo --show-secrets' },
    { about: 'did it work?', line: 'authcli demo --json | jq .ok' },
  ],
  run: async (_, session) => {
    const progress = session.progress('Signing a user up and in');
    const run = await runDemo(defaultClientId, session).finally(() => progress.stop());
    return report(run, session);
  },
});

function report(run: DemoRun, session: Session): Outcome {
  const { signup, signin, input, world } = run;
  session.secrets.show(input.ptnCd);
  const calls = [...signup.steps, signin?.token, signin?.authenticate].filter(
    (call) => call !== undefined,
  );
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: world.clientId,
      url: world.callbackUrl.href,
      auth_url: world.authUrl,
      key_fingerprint: signup.keyFingerprint ?? null,
      steps: calls.map((call) => ({ ...callReport(call), duration_ms: durationOf(call) })),
      passcode: signin?.passcode ?? 'not-checked',
    },
    lines: demoStory(run, {
      style: session.style,
      width: widthOf(session.context.stdout),
      redact: (value) => session.redact(value),
    }),
    failure: signup.ok && signin?.ok === true ? undefined : (signin?.diagnosis ?? signup.diagnosis),
  };
}
