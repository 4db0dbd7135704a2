import { faultyServer, type LocalTls, localServer } from '../../src/app/local-tls.ts';
import { createTransport } from '../../src/client/transport.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import type { TlsFaultName } from '../../src/emulator/faults/tls.ts';
import { startServer } from '../../src/emulator/server.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { application, newRun } from './support.ts';

/** A run of the check of TLS against the application itself, over TLS with this fault. */
export async function verifyOverTls(fault: TlsFaultName): Promise<RunResult> {
  let stored: LocalTls | undefined;
  const store = {
    read: () => stored,
    isPublished: () => true,
    change: async (next: (before: LocalTls | undefined) => Promise<LocalTls>) => {
      stored = await next(stored);
      return stored;
    },
  };
  const generateKeyPair = keyPairSource();
  const tools = {
    store,
    now: Date.now,
    randomBytes: seededBytes(fault),
    generateKeyPair: () => generateKeyPair(2048),
  };
  const right = await localServer([], tools);
  const tls = await faultyServer([fault], right, tools);
  const server = await startServer({ host: '127.0.0.1', port: 0, handle: application(), tls });
  const ca = right.authority.certificate;
  const transport = createTransport({ timeoutMs: 60_000, now: Date.now, ca });
  return newRun(new URL(`${server.url}/callback`), { check: ['protocol/tls'], transport })
    .start()
    .finally(() => Promise.all([transport.close(), server.close()]));
}
