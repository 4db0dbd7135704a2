import type { Cipher } from '../../crypto/cipher.ts';
import { readableResponse } from '../../emulator/http.ts';
import { startServer } from '../../emulator/server.ts';
import type { Feed } from '../../page/feed.ts';
import type { PageServer } from '../../page/server.ts';
import type { Lesson } from '../../traffic/lessons/lesson.ts';
import { newPageServer } from '../emulate/emulate-page.ts';
import type { Session } from '../session.ts';
import type { OpenedTls } from '../tls/open-tls.ts';

/**
 * Serves the page of a relay that listens at `url` on a port of its own, on loopback only, whatever the relay listens
 * on; returns its address. The secrets in the feed are hidden already.
 */
export async function openRelayPage(
  relay: { readonly url: string; readonly feed: Feed; readonly cipher: Cipher },
  lessons: () => readonly Lesson[],
  tls: OpenedTls | undefined,
  session: Session,
): Promise<string> {
  const { url, feed, cipher } = relay;
  let page: PageServer | undefined;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    who: 'The page',
    tls: tls?.server,
    handle: async (request) => page?.respond(request) ?? readableResponse(404, { ok: false }),
  });
  session.atEnd(() => server.close());
  session.atEnd(() => feed.close());
  const learned = () =>
    lessons().map(({ setting, value = '', confidence, evidence }) => {
      return { setting, value, confidence, evidence };
    });
  page = await newPageServer(
    { origin: server.url, feed, learned, cipher, reveals: session.showsSecrets },
    { side: 'relay', url, about: '' },
    session,
  );
  if (!session.global.json) session.aside(`watch it at ${page.url}`);
  return page.url;
}
