import { encodeBase64Url } from '../../bytes.ts';
import { formatCipher } from '../../crypto/cipher.ts';
import type { EmulatorRequest } from '../../emulator/http.ts';
import { openly } from '../../emulator/journal.ts';
import type { RunningServer } from '../../emulator/server.ts';
import { Feed, type Watched } from '../../page/feed.ts';
import { type PageOptions, type PageServer, servePage } from '../../page/server.ts';
import type { Hello } from '../../page/wire.ts';
import { isLoopbackHost } from '../../protocol/endpoints.ts';
import { diagnoses, emulatorCodes } from '../explain/explanations.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Emulation, localUrl } from './emulation.ts';

/** Serves what a feed collects at `origin`. */
export async function newPageServer(
  options: Omit<
    PageOptions,
    'html' | 'token' | 'hello' | 'explain' | 'stack' | 'program' | 'redaction'
  >,
  { about, ...shown }: Omit<Hello, 'run'>,
  session: Session,
  uiToken?: string,
): Promise<PageServer> {
  const { context, showsSecrets, secrets } = session;
  await session.readStack();
  const known = new Map([...emulatorCodes(), ...diagnoses()].map((each) => [each.code, each]));
  const cipher = formatCipher(options.cipher);
  return servePage({
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
    program: session.program,
    redaction: showsSecrets ? openly : secrets,
  });
}

/**
 * Collects the exchanges of an emulator, and serves the page that shows them once it is opened.
 * @throws AuthcliError `usage` for an address at which a browser on this machine can't reach the page over loopback
 */
export function watchPage({ side, options }: Emulation, session: Session) {
  const { host, uiToken } = options;
  if (!['0.0.0.0', '::'].includes(host) && !isLoopbackHost(host))
    throw usage(
      `--ui: the page is served on loopback only, and ${host} is not a loopback address.`,
      'Leave --host out, or use 127.0.0.1, ::1, 0.0.0.0 or localhost.',
    );
  const feed = new Feed();
  let page: PageServer | undefined;
  return {
    /** Resolves to its address. */
    open: async (server: Pick<RunningServer, 'port' | 'url'>): Promise<string> => {
      const { cipher, timeZone, clientId } = side;
      const origin = localUrl(host, server);
      page = await newPageServer(
        { origin, feed, cipher, timeZone, reveals: true },
        { side: side.side, url: origin, about: `client ${clientId}` },
        session,
        uiToken,
      );
      return page.url;
    },
    respond: (request: EmulatorRequest) => page?.respond(request),
    add: (watched: Watched) => feed.add(watched),
    close: () => feed.close(),
  };
}

export type WatchPage = ReturnType<typeof watchPage>;
