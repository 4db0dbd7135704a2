import { encodeBase64Url } from '../bytes.ts';
import type { SignupOutcome } from '../client/signup.ts';
import { defaultCipher, formatCipher } from '../crypto/cipher-notation.ts';
import type { Control } from '../emulator/control.ts';
import { isLoopback } from '../emulator/control-access.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../emulator/http.ts';
import type { RecordedCall } from '../emulator/journal.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import type { Explanation } from '../reports/explanation.ts';
import { shellWord } from '../text.ts';
import { Feed } from '../watch/feed.ts';
import { PageServer } from '../watch/page-server.ts';
import type { Hello } from '../watch/view/wire.ts';
import { type Emulation, journalRedaction } from './emulate.ts';
import { diagnoses } from './explanations/diagnoses.ts';
import { emulatorCodes } from './explanations/emulator-codes.ts';
import { usage } from './hints.ts';
import type { Session } from './session.ts';

/** What the page is about. */
export interface WatchedEmulator {
  readonly emulation: Emulation;
  readonly control: Control;
}

/** The page on which an emulator is watched: it takes in what happens, and answers once it is open. */
export class WatchPage {
  readonly #watched: WatchedEmulator;
  readonly #session: Session;
  readonly #feed = new Feed();
  readonly #html: string;
  #server: PageServer | undefined;

  /**
   * Throws `usage` where the emulator listens on an address that only other machines use.
   *
   * @param html the page as the build made it
   */
  constructor(watched: WatchedEmulator, html: string, session: Session) {
    this.#watched = watched;
    this.#session = session;
    this.#html = html;
    pageHost(watched.emulation.options.host);
  }

  /** Opens the page of an emulator that listens; its address. */
  open({ port }: { readonly port: number }): string {
    const { emulation, control } = this.#watched;
    const { randomBytes } = this.#session.context;
    const { cipher, timeZone, faults } = emulation;
    const explanations = explanationsByCode();
    this.#server = new PageServer({
      html: this.#html,
      token: emulation.options.uiToken ?? encodeBase64Url(randomBytes(24)),
      hello: this.#hello(port),
      feed: this.#feed,
      control,
      sources: {
        explain: (code) => explanations.get(code),
        faults: faults.catalogue,
        cipher,
        timeZone,
      },
      redact: journalRedaction(this.#session),
    });
    return this.#server.url;
  }

  answer(request: EmulatorRequest): Promise<EmulatorAnswer> | undefined {
    return this.#server?.answer(request);
  }

  received(call: RecordedCall): void {
    this.#feed.add({ way: 'in', call });
  }

  /** Ends what is being watched. */
  close(): void {
    this.#feed.close();
  }

  /** What ended a sign-up belongs to its last callback. */
  sent({ steps, ptnCd, key, diagnosis }: SignupOutcome): void {
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      this.#feed.add({ way: 'out', step, ptnCd, key, ...(isLast && { diagnosis }) });
    }
  }

  #hello(port: number): Hello {
    const { side, clientId, cipher, callbackUrl, options } = this.#watched.emulation;
    const { randomBytes, version } = this.#session.context;
    const url = `http://${pageHost(options.host)}:${port}`;
    return {
      run: encodeBase64Url(randomBytes(9)),
      side,
      version,
      url,
      clientId,
      cipher: formatCipher(cipher),
      callbackUrl: callbackUrl?.href ?? null,
      tryIt:
        side === 'application'
          ? signupLines(this.#watched.emulation, url)
          : serviceLines(url, callbackUrl),
    };
  }
}

/** The name by which this machine's browser reaches an address that was bound to. */
function pageHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  if (host !== 'localhost' && !isLoopback(host)) {
    throw usage(
      `--ui: the page is for this machine alone, and ${host} is not its loopback address.`,
      'Leave --host out, or give 127.0.0.1, ::1, 0.0.0.0 or localhost.',
    );
  }
  return host.includes(':') ? `[${host}]` : host;
}

function signupLines({ clientId, cipher }: Emulation, url: string): Hello['tryIt'] {
  const notation = formatCipher(cipher);
  const words = [
    `authcli simulate-signup --url ${url}/callback`,
    ...(clientId === defaultClientId ? [] : [`--client-id ${shellWord(clientId)}`]),
    ...(notation === formatCipher(defaultCipher) ? [] : [`--cipher ${shellWord(notation)}`]),
  ];
  return [{ about: 'Send a sign-up from another terminal', line: words.join(' ') }];
}

function serviceLines(url: string, callbackUrl: URL | undefined): Hello['tryIt'] {
  const start = {
    about: 'Start it with the address of your application, to send sign-ups from this page',
    line: 'authcli emulate service --ui --callback-url http://localhost:8080/callback',
  };
  return [
    ...(callbackUrl === undefined ? [start] : []),
    {
      about: `Issue the token that your application exchanges at ${url}/process/token`,
      line: 'authcli issue-ptn-token --ptn-cd alice',
    },
  ];
}

function explanationsByCode(): ReadonlyMap<string, Explanation> {
  return new Map([...emulatorCodes(), ...diagnoses()].map((known) => [known.code, known]));
}
