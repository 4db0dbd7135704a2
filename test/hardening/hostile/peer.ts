import { makeCertificate } from '../../support/certificates.ts';
import { type Line, startFaultServer, type TestServer } from '../../support/fault-server.ts';
import type { HostileAnswer } from './answer.ts';
import { rightAnswer } from './right-answers.ts';

let identity: ReturnType<typeof makeCertificate> | undefined;

/** Starts a server that gives `answer` to every request. */
export async function startPeer(answer: HostileAnswer): Promise<TestServer> {
  identity ??= makeCertificate();
  const server = await startFaultServer(
    (line) => serve(line, answer),
    answer.speaks === 'https' ? identity : undefined,
  );
  const url = new URL(server.url);
  url.protocol = answer.scheme ?? 'http';
  return { ...server, url };
}

async function serve(line: Line, answer: HostileAnswer): Promise<void> {
  if (answer.atOnce) return answer.serve(line, rightAnswer(Buffer.from('{}')));
  for (;;) {
    const { body } = await line.request();
    await answer.serve(line, rightAnswer(body));
  }
}
