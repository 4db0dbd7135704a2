import { journalRedaction } from '../../app/emulation.ts';
import { encodeBase64Url } from '../../bytes.ts';
import type { SignupOutcome } from '../../client/signup.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import type { Control } from '../../emulator/control.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../emulator/http.ts';
import type { RecordedCall } from '../../emulator/journal.ts';
import type { RunningServer } from '../../emulator/server.ts';
import { Feed } from '../../page/feed.ts';
import { PageServer } from '../../page/server.ts';
import type { Hello } from '../../page/wire.ts';
import { isLoopbackHost } from '../../protocol/endpoints.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { diagnoses, emulatorCodes } from '../explain/explanations.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import type { OpenedTls } from '../tls/open-tls.ts';
import { tlsWords } from '../tls/tls-lines.ts';
import { type Emulation, localUrl, pageTokenOf, signupLine } from './emulation.ts';

interface WatchedEmulator {
  readonly emulation: Emulation;
  readonly control: Control;
  readonly tls: OpenedTls | undefined;
}

/** Collects the exchanges of an emulator, and serves the page that shows them. */
export class WatchPage {
  readonly #watched: WatchedEmulator;
  readonly #session: Session;
  readonly #feed = new Feed();
  readonly #html: string;
  #server: PageServer | undefined;

  /** `html` is the page of the build. Throws `usage` for an address that this machine can't reach. */
  constructor(watched: WatchedEmulator, html: string, session: Session) {
    this.#watched = watched;
    this.#session = session;
    this.#html = html;
    checkHost(watched.emulation.options.host);
  }

  /** Opens the page; returns its address. */
  open(server: Pick<RunningServer, 'port' | 'url'>): string {
    const { emulation, control } = this.#watched;
    const { showsSecrets, secrets } = this.#session;
    const { cipher, timeZone, faults } = emulation.side;
    const explanations = explanationsByCode();
    this.#server = new PageServer({
      html: this.#html,
      token: pageTokenOf(emulation.options, this.#session),
      hello: this.#hello(localUrl(emulation.options.host, server)),
      feed: this.#feed,
      control,
      sources: {
        explain: (code) => explanations.get(code),
        faults: faults.catalogue,
        cipher,
        timeZone,
        origin: localUrl(emulation.options.host, server),
        reveals: true,
      },
      redaction: journalRedaction(showsSecrets, secrets),
    });
    return this.#server.url;
  }

  respond(request: EmulatorRequest): Promise<EmulatorResponse> | undefined {
    return this.#server?.respond(request);
  }

  received(call: RecordedCall): void {
    this.#feed.add({ way: 'in', call });
  }

  close(): void {
    this.#feed.close();
  }

  /** The diagnosis belongs to the last callback. */
  sent({ steps, ptnCd, key, diagnosis }: SignupOutcome): void {
    if (key !== undefined) this.#session.secrets.addFromPeer(key);
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      this.#feed.add({ way: 'out', step, ptnCd, key, ...(isLast && { diagnosis }) });
    }
  }

  #signup(url: string): string {
    const { emulation, tls } = this.#watched;
    return signupLine(emulation.side, `${url}/callback`, this.#session.typed, tlsWords(tls));
  }

  #hello(url: string): Hello {
    const { callbackUrl } = this.#watched.emulation;
    const { side, clientId, cipher } = this.#watched.emulation.side;
    const { randomBytes, version } = this.#session.context;
    return {
      run: encodeBase64Url(randomBytes(9)),
      side,
      version,
      url,
      clientId,
      cipher: formatCipher(cipher),
      callbackUrl: side === 'application' ? `${url}/callback` : (callbackUrl?.href ?? null),
      tryIt:
        side === 'application'
          ? [{ about: 'Send a sign-up from a terminal:', line: this.#signup(url) }]
          : serviceLines(url),
    };
  }
}

/** A browser on this machine must reach the page over loopback. */
function checkHost(host: string): void {
  if (['0.0.0.0', '::'].includes(host) || isLoopbackHost(host)) return;
  throw usage(
    `--ui: the page is served on loopback only, and ${host} is not a loopback address.`,
    'Leave --host out, or use 127.0.0.1, ::1, 0.0.0.0 or localhost.',
  );
}

function serviceLines(url: string): Hello['tryIt'] {
  return [
    {
      about: `Issue a ptn_token for your application to exchange at ${url}/process/token:`,
      line: 'authcli issue-ptn-token --ptn-cd alice',
    },
  ];
}

/** What `explain` prints, by code. */
export function explanationsByCode(): ReadonlyMap<string, Explanation> {
  return new Map([...emulatorCodes(), ...diagnoses()].map((known) => [known.code, known]));
}
