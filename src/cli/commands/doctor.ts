import { type DoctorCheck, judgeWay, wrong } from '../../diagnosis/doctor.ts';
import { AuthcliError } from '../../errors.ts';
import { callbackUrl, tokenUrl } from '../../protocol/endpoints.ts';
import { marks, type Style } from '../../reports/human.ts';
import { counted } from '../../reports/verify-words.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand } from '../command.ts';

import { examineLocally, mendLocally } from '../doctor-local.ts';
import { exitStatusOf } from '../exit-status.ts';
import type { Failure } from '../hints.ts';
import { openNetwork, transportOptions } from '../network.ts';
import { networkFlags } from '../network-flags.ts';
import { type OptionsOf, optional, toggle } from '../options.ts';
import type { Session } from '../session.ts';
import { authUrlFlag } from '../url-flags.ts';

const flags = {
  url: optional('--url <url>', "the application's callback URL", {
    parse: callbackUrl,
    setting: 'url',
  }),
  authUrl: optional('--auth-url <url>', authUrlFlag.about, {
    parse: tokenUrl,
    setting: 'auth-url',
  }),
  mend: toggle('--mend', 'set damaged files aside, as FILE.damaged-TIME; nothing is deleted'),
  ...networkFlags,
} as const;

type Options = OptionsOf<typeof flags>;

export const doctor = defineCommand({
  path: 'doctor',
  about:
    'Looks for what is wrong with the set-up, and on the way to the endpoints that are given or set: config file, permissions, Node and OpenSSL, proxy, name look-up, IPv4 and IPv6, certificate, redirects, clocks. Each endpoint gets one request, OPTIONS, which asks for nothing and signs nobody up.',
  flags,
  survivesBadState: true,
  examples: [
    { about: 'the set-up', line: 'authcli doctor' },
    {
      about: 'and the way to your endpoint',
      line: 'authcli doctor --url http://localhost:8080/callback',
    },
    {
      about: 'what is not in order, for a script',
      line: `authcli doctor --json | jq -r '.checks[] | select(.status != "ok") | .message'`,
    },
  ],
  run: async (options, session) => {
    const checks = [
      ...(options.mend ? await mendLocally(session) : []),
      ...(await examineLocally(session)),
      ...(await examineWays(options, session)),
    ];
    return {
      fields: {
        checks: checks.map(({ id, status, message, hint }) => ({ id, status, message, hint })),
      },
      lines: [
        ...checks.flatMap((check) => checkLines(check, session.style)),
        '',
        summaryOf(checks),
        ...(options.url === undefined && options.authUrl === undefined ? noEndpoint : []),
      ],
      failure: failureOf(checks),
    };
  },
});

const noEndpoint = [
  'No endpoint is set, so none was looked at:',
  `  ${marks.arrowOut} authcli doctor --url URL, or authcli init, which sets one`,
];

async function examineWays(options: Options, session: Session): Promise<readonly DoctorCheck[]> {
  const ways = [
    ['url', options.url],
    ['auth-url', options.authUrl],
  ] as const;
  const given = ways.filter(
    (way): way is readonly ['url' | 'auth-url', URL] => way[1] !== undefined,
  );
  if (given.length === 0) return [];
  const transport = await openNetwork(options, session).catch(refusedOptions);
  if ('status' in transport) return [transport];
  const { surveyWay } = await import('../../client/survey.ts');
  const settings = transportOptions(options, session);
  const checks: DoctorCheck[] = [];
  for (const [name, url] of given) {
    const progress = session.progress(`Looking at the way to ${url.host}`);
    const facts = await surveyWay({ url, options: settings, transport }).finally(() =>
      progress.stop(),
    );
    const found = judgeWay(facts, session.context.now());
    checks.push(...found.map((check) => ({ ...check, id: `${name}/${check.id}` })));
  }
  return checks;
}

/** A proxy, a certificate or a header that no request can be sent with. */
function refusedOptions(error: unknown): DoctorCheck {
  if (error instanceof AuthcliError && error.code === 'usage')
    return wrong('network-options', error);
  throw error;
}

function checkLines({ id, status, message, hint }: DoctorCheck, style: Style): readonly string[] {
  const mark = {
    ok: style.good(marks.good),
    warning: style.warn('!'),
    failure: style.bad(marks.bad),
  }[status];
  const label = status === 'ok' ? '' : `${status}: `;
  const line = `${mark} ${style.bold(id)}  ${label}${escapeControls(message)}`;
  return hint === '' ? [line] : [line, `    ${marks.arrowOut} ${escapeControls(hint)}`];
}

function summaryOf(checks: readonly DoctorCheck[]): string {
  const count = (status: DoctorCheck['status']) =>
    checks.filter((check) => check.status === status).length;
  return `${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${counted(count('failure'), 'failure')}`;
}

/** Which status counts where several apply: what has to be mended first. */
const order = [2, 4, 1, 3];

function failureOf(checks: readonly DoctorCheck[]): Failure | undefined {
  const failures = checks.flatMap(({ id, code, message, hint }) =>
    code === undefined ? [] : [{ code, message: `${id}: ${message}`, hint }],
  );
  const rank = ({ code }: Failure): number => order.indexOf(exitStatusOf(code));
  return failures.toSorted((left, right) => rank(left) - rank(right))[0];
}
