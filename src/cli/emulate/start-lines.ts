import type { EmulatedSide } from '../../app/emulation.ts';
import { defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { authenticatePath, tokenPath } from '../../protocol/endpoints.ts';
import { fields, fitLine, wrapCommand } from '../../reports/human.ts';
import { escapeControls } from '../../text.ts';
import { emulatedSecretKey } from '../args/flags.ts';
import { isReference } from '../args/input.ts';
import { plainLine, type TypedCommand } from '../args/repeat-line.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import type { OpenedTls } from '../tls/open-tls.ts';
import { tlsRows, tlsWords, trustText } from '../tls/tls-lines.ts';

interface Started {
  readonly side: EmulatedSide;
  readonly url: string;
  readonly faults: readonly string[];
  readonly callbackUrl?: string | undefined;
  readonly hasPage: boolean;
  readonly tls?: OpenedTls | undefined;
}

/** What an emulator prints when it has started: its URLs, its settings, and what to try. */
export function startLines(started: Started, session: Session): readonly string[] {
  const { side, url, faults, hasPage, tls } = started;
  const { style } = session;
  const width = columnsOf(session.context.stdout);
  const listening = `listening on ${url}`;
  if (session.detail === 'quiet') return [listening];
  const ui = hasPage ? [] : ['--open shows the requests in your browser.'];
  return [
    listening,
    ...fields(
      [
        ...endpointsOf(started),
        ['client id', originOf('clientId', side.clientId, session)],
        ['cipher', originOf('cipher', formatCipher(side.cipher), session)],
        ['faults', faults.length === 0 ? 'none' : faults.join(', ')],
        ...(tls === undefined ? [] : tlsRows(tls)),
      ],
      style,
    ).flatMap((line) => fitLine(line, width)),
    '',
    'To try it:',
    ...triedCommands(started, session).flatMap((line) =>
      wrapCommand(line, width - 2).map((part) => `  ${style.accent(part)}`),
    ),
    ...(tls === undefined ? [] : trustText(tls, session)),
    '',
    ...fitLine([...ui, 'Ctrl-C stops it.'].join(' '), width),
  ];
}

function endpointsOf({ side, url }: Started): readonly (readonly [string, string])[] {
  return side.side === 'application'
    ? [['callback', `${url}/callback`]]
    : [
        ['token', url + tokenPath],
        ['authenticate', url + authenticatePath],
      ];
}

function originOf(option: string, value: string, { origins }: Session): string {
  const source = origins.get(option)?.source;
  return escapeControls(source === undefined ? value : `${value} (${source})`);
}

/** The secret key, or where it comes from: one that was typed is not shown, and has to be filled in. */
function secretWords({ origins }: Session): readonly string[] {
  const { source = 'default', value = '' } = origins.get('secretKey') ?? {};
  if (source === 'default') return ['--secret-key', emulatedSecretKey];
  // signin finds it where it was found here
  if (/^(?:AUTHCLI_SECRET_KEY$|profile )/.test(source)) return [];
  return ['--secret-key', isReference(value) ? value : '…'];
}

function triedCommands(started: Started, session: Session): readonly string[] {
  const { typed } = session;
  const { side, url, tls, callbackUrl = 'http://localhost:8080/callback' } = started;
  if (side.side === 'application') {
    const callback = ['--url', `${url}/callback`, ...tlsWords(tls), ...settingWords(side)];
    return ['simulate-signup', 'verify'].map((name) => plainLine([name, ...callback], typed));
  }
  const settings = clientWords(side.clientId);
  const secret = secretWords(session);
  // the same default as issue-ptn-token's
  const toIssue = secret.includes(emulatedSecretKey) ? [] : secret;
  const issue = plainLine(['issue-ptn-token', '--ptn-cd', 'alice', ...toIssue, ...settings], typed);
  const words = ['signin', '--ptn-token', '-', '--auth-url', url, ...tlsWords(tls), ...secret];
  const signin = plainLine([...words, '--client-id', side.clientId], typed);
  const signup = signupLine(side, callbackUrl, typed, ['--ptn-cd', 'alice']);
  return [signup, `${issue} | ${signin}`];
}

type Settings = Pick<EmulatedSide, 'clientId' | 'cipher'>;

/** A sign-up at an application with these settings. */
export function signupLine(
  settings: Settings,
  url: string,
  typed: TypedCommand,
  more: readonly string[] = [],
): string {
  return plainLine(['simulate-signup', '--url', url, ...more, ...settingWords(settings)], typed);
}

/** The options of what differs from the defaults. */
function settingWords({ clientId, cipher }: Settings): readonly string[] {
  const notation = formatCipher(cipher);
  const other = notation === formatCipher(defaultCipher) ? [] : ['--cipher', notation];
  return [...clientWords(clientId), ...other];
}

function clientWords(clientId: string): readonly string[] {
  return clientId === defaultClientId ? [] : ['--client-id', clientId];
}
