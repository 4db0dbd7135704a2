import { makeCertificate } from '../../support/certificates.ts';
import { type Line, startFaultServer, type TestServer } from '../../support/fault-server.ts';
import type { HostileResponse } from './response.ts';
import { rightResponse } from './right-responses.ts';

let identity: ReturnType<typeof makeCertificate> | undefined;

/** Starts a server that gives `response` to every request. */
export async function startPeer(response: HostileResponse): Promise<TestServer> {
  identity ??= makeCertificate();
  const server = await startFaultServer(
    (line) => serve(line, response),
    response.speaks === 'https' ? identity : undefined,
  );
  const url = new URL(server.url);
  url.protocol = response.scheme ?? 'http';
  return { ...server, url };
}

async function serve(line: Line, response: HostileResponse): Promise<void> {
  if (response.atOnce) return response.serve(line, rightResponse(Buffer.from('{}')));
  for (;;) {
    const { body } = await line.request();
    await response.serve(line, rightResponse(body));
  }
}
