import { type DoctorCheck, judgeWay, wrong } from '../../diagnosis/doctor.ts';
import { hasCode } from '../../errors.ts';
import { tokenUrl } from '../../protocol/endpoints.ts';
import { marks, type Style } from '../../reports/human.ts';
import { counted, escapeControls } from '../../text.ts';
import { authUrlFlag, urlFlag } from '../args/flags.ts';
import { type OptionsOf, optional, optionally } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { confirmation, defineCommand, type Line } from '../command.ts';
import { examineLocally } from '../doctor/local-checks.ts';
import { exitStatusOf, rankOf } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { openNetwork, transportOptions } from '../network.ts';
import type { Session } from '../session.ts';

const flags = {
  url: optionally(urlFlag),
  authUrl: optional('--auth-url <url>', authUrlFlag.about, {
    parse: tokenUrl,
    setting: 'auth-url',
  }),
  ...networkFlags,
} as const;

type Options = OptionsOf<typeof flags>;

export const doctor = defineCommand({
  path: 'doctor',
  about:
    'Checks the set-up and the connection to the configured endpoints: config file, permissions, Node and OpenSSL, proxy, DNS, IPv4 and IPv6, certificate, redirects, clocks. Each endpoint gets one OPTIONS request, which changes nothing and signs up no one.',
  flags,
  survivesBadState: true,
  examples: {
    'the connection to your endpoint': 'authcli doctor --url http://localhost:8080/callback',
    'the problems, for a script': `authcli doctor --json | jq -r '.checks[] | select(.status != "ok") | .message'`,
  },
  run: async (options, session) => {
    const checks = [...(await examineLocally(session)), ...(await examineWays(options, session))];
    return {
      fields: {
        checks: checks.map(({ id, status, message, hint }) => ({ id, status, message, hint })),
      },
      lines: [
        ...checks.flatMap((check) => checkLines(check, session.style)),
        ...['', summaryOf(checks), ...noEndpoint(options, session)].map(confirmation),
      ],
      failure: failureOf(checks),
    };
  },
});

function noEndpoint({ url, authUrl }: Options, session: Session): readonly string[] {
  if (url !== undefined || authUrl !== undefined) return [];
  return [
    'No endpoint is set, so no connection was checked. To set one:',
    `  ${marks.arrowOut} ${session.commandLine(['init'])}`,
  ];
}

async function examineWays(options: Options, session: Session): Promise<readonly DoctorCheck[]> {
  const { url: callback, authUrl: service } = chosenEndpoints(options, session);
  if (callback === undefined && service === undefined) return [];
  const transport = await openNetwork(options, session).catch(refusedOptions);
  if ('status' in transport) return [transport];
  const { surveyWay } = await import('../../client/survey.ts');
  const settings = transportOptions(options, session);
  const checks: DoctorCheck[] = [];
  for (const [name, url] of Object.entries({ url: callback, 'auth-url': service })) {
    if (url === undefined) continue;
    const progress = session.progress(`Checking the connection to ${url.host}`);
    const facts = await surveyWay({ url, options: settings, transport }).finally(() =>
      progress.stop(),
    );
    const found = judgeWay(facts, session.context.now());
    checks.push(...found.map((check) => ({ ...check, id: `${name}/${check.id}` })));
  }
  return checks;
}

/** One that was typed is used alone: the other one of the profile may belong to something else. */
function chosenEndpoints(
  { url, authUrl }: Options,
  { line }: Session,
): Pick<Options, 'url' | 'authUrl'> {
  const [typesUrl, typesAuthUrl] = [line.given.has('url'), line.given.has('authUrl')];
  return {
    url: typesAuthUrl && !typesUrl ? undefined : url,
    authUrl: typesUrl && !typesAuthUrl ? undefined : authUrl,
  };
}

/** Options that no request can be sent with. */
function refusedOptions(error: unknown): DoctorCheck {
  if (hasCode(error, 'usage')) return wrong('network-options', error);
  throw error;
}

function checkLines({ id, status, message, hint }: DoctorCheck, style: Style): readonly Line[] {
  const mark = {
    ok: style.good(marks.good),
    warning: style.warn('!'),
    failure: style.bad(marks.bad),
  }[status];
  const label = status === 'ok' ? '' : `${status}: `;
  const line = `${mark} ${style.bold(id)}  ${label}${escapeControls(message)}`;
  if (status === 'ok') return [confirmation(line)];
  return hint === '' ? [line] : [line, `    ${marks.arrowOut} ${escapeControls(hint)}`];
}

function summaryOf(checks: readonly DoctorCheck[]): string {
  const count = (status: DoctorCheck['status']) =>
    checks.filter((check) => check.status === status).length;
  return `${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${counted(count('failure'), 'failure')}`;
}

function failureOf(checks: readonly DoctorCheck[]): Failure | undefined {
  const failures = checks.flatMap(({ id, code, message, hint }) =>
    code === undefined ? [] : [{ code, message: `${id}: ${message}`, hint }],
  );
  const rank = ({ code }: Failure): number => rankOf(exitStatusOf(code));
  const [first] = failures.toSorted((left, right) => rank(left) - rank(right));
  return first && { ...first, sumsUp: true };
}
