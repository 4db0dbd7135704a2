import type { DemoRun } from '../../app/demo.ts';
import { decodeUtf8 } from '../../bytes.ts';
import type { CallOutcome } from '../../client/call.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { durationOf } from '../../reports/exchange.ts';
import { marks, type Style, verdict, wrapText } from '../../reports/human.ts';
import { escapeControls, shorten } from '../../text.ts';
import { pairs } from '../terminal/help.ts';

interface Look {
  readonly style: Style;
  readonly width: number;
  readonly redact: (value: string) => string;
}

/** One step: who calls whom, what is sent, and what it means. */
interface Step {
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly call: CallOutcome<unknown>;
  /** Paragraphs; an indented one is not wrapped. */
  readonly meaning: readonly string[];
}

const shownFieldLength = 24;

/** The demo as text for newcomers. */
export function demoLines(run: DemoRun, look: Look): string[] {
  const title = 'A real sign-up and sign-in between two servers on this machine';
  return [
    ...wrapText(title, look.width).map(look.style.bold),
    '',
    ...picture(run.servers, look.width),
    ...stepsOf(run).flatMap((step, index) => stepLines(step, index + 1, look)),
    '',
    ...ending(run, look),
  ];
}

/** Side by side, or stacked on a narrow terminal. */
function picture({ authUrl, callbackUrl }: DemoRun['servers'], width: number): string[] {
  if (width < 76)
    return [
      '  ┌───────────────┐',
      '  │  the service  │',
      '  └───────────────┘',
      `  ${authUrl}`,
      '     │         ▲',
      '  callbacks  token,',
      '  (sign-up)  authenticate',
      '     ▼         │',
      '  ┌───────────────┐',
      '  │  application  │  your part',
      '  └───────────────┘',
      `  ${callbackUrl.href}`,
    ];
  return [
    '  ┌───────────────┐   callbacks (sign-up)    ┌───────────────┐',
    '  │  the service  │ ───────────────────────▶ │  application  │  your part',
    '  │               │ ◀─────────────────────── │               │',
    '  └───────────────┘    token, authenticate   └───────────────┘',
    `  ${authUrl.padEnd(43)}${callbackUrl.href}`,
  ];
}

function stepsOf({ input, signup, signin }: DemoRun): Step[] {
  const [exchange, registration] = signup.steps;
  const cipher = formatCipher(input.cipher);
  const steps: (Step | undefined)[] = [
    exchange && {
      title: 'Key exchange',
      from: 'service',
      to: 'application',
      call: exchange,
      meaning: [
        `The application generated a random 32-character key for ${input.ptnCd}, stored it, and returned it encrypted with the public_key of the request (RSA, PKCS #1 v1.5, in Base64).`,
        `Decrypted with the private key: ${signup.keyFingerprint ?? 'it could not be decrypted'}`,
      ],
    },
    registration && {
      title: 'Registration complete',
      from: 'service',
      to: 'application',
      call: registration,
      meaning: [
        'The passcode (partner_sp) and the user information (ubifill) are encrypted with that key:',
        `  ${cipher}`,
        'The application decrypted them and stored the passcode.',
      ],
    },
    signin && {
      title: 'Token',
      from: 'application',
      to: 'service',
      call: signin.token,
      meaning: [
        `The ptn_token of ${input.ptnCd}'s device is exchanged for an access token. The secret key is sent only in the body.`,
      ],
    },
    signin?.authenticate && {
      title: 'Authenticate',
      from: 'application',
      to: 'service',
      call: signin.authenticate,
      meaning: [
        `The access token gives the passcode, encrypted (ptn_sp). Decrypted with the same key and compared with the stored one: ${signin.passcode}.`,
      ],
    },
  ];
  return steps.filter((step) => step !== undefined) as Step[];
}

function stepLines({ title, from, to, call, meaning }: Step, number: number, look: Look): string[] {
  const { style, width } = look;
  const { request, response } = call.exchange;
  return [
    '',
    `${style.bold(`${number}  ${title}`)}   ${from} ${marks.arrowOut} ${to}   ${style.dim(`${durationOf(call)} ms`)}`,
    `   ${style.accent(marks.arrowOut)} POST ${request.url.pathname}`,
    ...bodyLines(request.body, look),
    `   ${style.accent(marks.arrowIn)} ${response === undefined ? 'no response' : `HTTP ${response.status}`}`,
    ...(response === undefined ? [] : bodyLines(response.body, look)),
    '',
    ...meaning.flatMap((text) =>
      (text.startsWith(' ') ? [text] : wrapText(text, width - 3)).map((line) => `   ${line}`),
    ),
  ];
}

/** One field per line, long values cut. */
function bodyLines(body: Uint8Array, { style, redact }: Look): string[] {
  const json: unknown = JSON.parse(decodeUtf8(body) ?? '{}');
  return fieldsOf(json).map(
    ([name, value]) => `       ${style.dim(name.padEnd(24))} ${shownValue(value, redact)}`,
  );
}

function fieldsOf(json: unknown, prefix = ''): [string, string][] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object'
      ? fieldsOf(value, `${prefix}${name}.`)
      : [[prefix + name, String(value)]],
  );
}

/** Redacted before it is cut, so that no part of a secret is left. */
function shownValue(value: string, redact: Look['redact']): string {
  return `"${escapeControls(shorten(redact(value), shownFieldLength))}"`;
}

function ending({ signup, signin }: DemoRun, { style, width }: Look): string[] {
  if (signin?.passcode !== 'match' || !signup.ok) return [];
  const next = [
    ['authcli simulate-signup --url http://localhost:8080/callback', 'your own callback endpoint'],
    ['authcli emulate app --port 8080', 'an application to experiment with'],
    ['authcli key unwrap --help', "why a wrapped key can't be decrypted"],
  ] as const;
  return [
    verdict(true, 'The passcodes match: the user is signed in.', style),
    '',
    ...pairs('Try next:', next, width),
  ];
}
