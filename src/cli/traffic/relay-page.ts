import type { Cipher } from '../../crypto/cipher.ts';
import { readableResponse } from '../../emulator/http.ts';
import { startServer } from '../../emulator/server.ts';
import { Feed } from '../../page/feed.ts';
import type { PageServer } from '../../page/server.ts';
import { watchedPassage } from '../../page/watched.ts';
import type { Lesson } from '../../traffic/lessons/lesson.ts';
import type { RelayedExchange } from '../../traffic/relay.ts';
import { newPageServer } from '../emulate/emulate-page.ts';
import type { Session } from '../session.ts';
import type { OpenedTls } from '../tls/open-tls.ts';

/** Collects the exchanges of a relay, and serves the page that shows them on a port of its own. */
export class RelayPage {
  readonly #feed = new Feed();

  /** Opens the page for a relay that listens at `url`, on loopback only, whatever the relay listens on; returns its address. */
  async open(
    url: string,
    lessons: () => readonly Lesson[],
    options: { readonly cipher: Cipher },
    tls: OpenedTls | undefined,
    session: Session,
  ): Promise<string> {
    let page: PageServer | undefined;
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      who: 'The page',
      tls: tls?.server,
      handle: async (request) => page?.respond(request) ?? readableResponse(404, { ok: false }),
    });
    session.atEnd(() => server.close());
    session.atEnd(() => this.#feed.close());
    const learned = () =>
      lessons().map(({ setting, value = '', confidence, evidence }) => ({
        setting,
        value,
        confidence,
        evidence,
      }));
    page = await newPageServer(
      {
        origin: server.url,
        feed: this.#feed,
        learned,
        cipher: options.cipher,
        reveals: session.showsSecrets,
      },
      { side: 'relay', url, about: '' },
      session,
    );
    if (!session.global.json) session.aside(`watch it at ${page.url}`);
    return page.url;
  }

  /** The secrets in it are hidden already. */
  add(relayed: RelayedExchange): void {
    this.#feed.add(watchedPassage(relayed));
  }
}
