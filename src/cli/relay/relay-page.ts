import { journalRedaction } from '../../app/emulation.ts';
import { encodeBase64Url } from '../../bytes.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { readableResponse } from '../../emulator/http.ts';
import { startServer } from '../../emulator/server.ts';
import { Feed } from '../../page/feed.ts';
import { PageServer } from '../../page/server.ts';
import type { Hello } from '../../page/wire.ts';
import type { RelayedExchange } from '../../relay/relay.ts';
import { explanationsByCode } from '../emulate/emulate-page.ts';
import { openInBrowser, pageTokenOf } from '../emulate/emulation.ts';
import { plainLine } from '../next-command.ts';
import type { Session } from '../session.ts';
import type { OpenedTls } from '../tls/open-tls.ts';
import { tlsWords } from '../tls/tls-lines.ts';
import type { RelayFlagOptions } from './relay-flags.ts';
import type { Learning } from './relay-run.ts';

/** Where the relay listens. */
export interface Addresses {
  readonly callbackUrl: string | undefined;
  readonly authUrl: string | undefined;
}

const notFound = readableResponse(404, { ok: false });

/** Loopback only, whatever the relay listens on. */
const host = '127.0.0.1';

/** Collects the exchanges of a relay, and serves the page that shows them on a port of its own. */
export class RelayPage {
  readonly #options: RelayFlagOptions;
  readonly #session: Session;
  readonly #feed = new Feed();
  readonly #tls: OpenedTls | undefined;

  constructor(options: RelayFlagOptions, tls: OpenedTls | undefined, session: Session) {
    this.#options = options;
    this.#tls = tls;
    this.#session = session;
  }

  /** Opens the page; returns its address. */
  async open(addresses: Addresses, learning: Learning): Promise<string> {
    const { context, showsSecrets, secrets } = this.#session;
    const html = await context.pageHtml();
    let page: PageServer | undefined;
    const server = await startServer({
      host,
      port: this.#options.uiPort,
      who: 'The page',
      tls: this.#tls?.server,
      handle: async (request) => (await page?.respond(request)) ?? notFound,
    });
    const explanations = explanationsByCode();
    page = new PageServer({
      html,
      token: pageTokenOf(this.#options, this.#session),
      hello: this.#hello(addresses),
      feed: this.#feed,
      learned: () => learning.shown,
      sources: {
        explain: (code) => explanations.get(code),
        faults: [],
        cipher: this.#options.cipher,
        origin: server.url,
        reveals: showsSecrets,
      },
      redaction: journalRedaction(showsSecrets, secrets),
    });
    this.#session.atEnd(() => server.close());
    this.#session.atEnd(() => this.#feed.close());
    if (!this.#session.global.json) this.#session.aside(`watch it at ${page.url}`);
    if (this.#options.open) openInBrowser(page.url, this.#session);
    return page.url;
  }

  /** The secrets in it are hidden already. */
  add(relayed: RelayedExchange): void {
    this.#feed.add({ way: 'passed', relayed });
  }

  #hello({ callbackUrl, authUrl }: Addresses): Hello {
    const { context, typed } = this.#session;
    const words = ['simulate-signup', '--url', callbackUrl ?? '', ...tlsWords(this.#tls)];
    const line = callbackUrl && plainLine(words, typed);
    return {
      run: encodeBase64Url(context.randomBytes(9)),
      side: 'relay',
      version: context.version,
      url: callbackUrl ?? authUrl ?? '',
      clientId: '',
      cipher: formatCipher(this.#options.cipher),
      callbackUrl: null,
      tryIt: line ? [{ about: 'Send a sign-up through the relay from a terminal:', line }] : [],
    };
  }
}
