import { encodeBase64Url } from '../../bytes.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../emulator/http.ts';
import { openly } from '../../emulator/journal.ts';
import type { RunningServer } from '../../emulator/server.ts';
import { Feed, type Watched } from '../../page/feed.ts';
import { type PageOptions, PageServer } from '../../page/server.ts';
import type { Hello } from '../../page/wire.ts';
import { isLoopbackHost } from '../../protocol/endpoints.ts';
import { diagnoses, emulatorCodes } from '../explain/explanations.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Emulation, localUrl } from './emulation.ts';

/** Serves what a feed collects at `origin`. */
export async function newPageServer(
  options: Omit<PageOptions, 'html' | 'token' | 'hello' | 'explain' | 'stack' | 'redaction'>,
  { about, ...shown }: Omit<Hello, 'run'>,
  uiToken: string | undefined,
  session: Session,
): Promise<PageServer> {
  const { context, showsSecrets, secrets } = session;
  await session.readStack();
  const known = new Map([...emulatorCodes(), ...diagnoses()].map((each) => [each.code, each]));
  const cipher = formatCipher(options.cipher);
  return new PageServer({
    ...options,
    html: await context.packageText('dist/ui.html'),
    token: uiToken ?? encodeBase64Url(context.randomBytes(24)),
    hello: {
      run: encodeBase64Url(context.randomBytes(9)),
      ...shown,
      about: [about, cipher, `authcli ${context.version}`].filter(Boolean).join(' · '),
    },
    explain: (code) => known.get(code),
    stack: () => session.stack,
    redaction: showsSecrets ? openly : secrets,
  });
}

/** Collects the exchanges of an emulator, and serves the page that shows them. */
export class WatchPage {
  readonly #emulation: Emulation;
  readonly #session: Session;
  readonly #feed = new Feed();
  #server: PageServer | undefined;

  /** Throws `usage` for an address at which a browser on this machine can't reach the page over loopback. */
  constructor(emulation: Emulation, session: Session) {
    const { host } = emulation.options;
    this.#emulation = emulation;
    this.#session = session;
    if (['0.0.0.0', '::'].includes(host) || isLoopbackHost(host)) return;
    throw usage(
      `--ui: the page is served on loopback only, and ${host} is not a loopback address.`,
      'Leave --host out, or use 127.0.0.1, ::1, 0.0.0.0 or localhost.',
    );
  }

  /** Opens the page; returns its address. */
  async open(server: Pick<RunningServer, 'port' | 'url'>): Promise<string> {
    const { host, uiToken } = this.#emulation.options;
    const { side, cipher, timeZone, clientId } = this.#emulation.side;
    const origin = localUrl(host, server);
    this.#server = await newPageServer(
      { origin, feed: this.#feed, cipher, timeZone, reveals: true },
      { side, url: origin, about: `client ${clientId}` },
      uiToken,
      this.#session,
    );
    return this.#server.url;
  }

  respond(request: EmulatorRequest): EmulatorResponse | undefined {
    return this.#server?.respond(request);
  }

  add(watched: Watched): void {
    this.#feed.add(watched);
  }

  close(): void {
    this.#feed.close();
  }
}
