import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { AuthcliError } from '../../errors.ts';
import { contextWith } from '../context.ts';
import type { Session } from '../session.ts';
import { Emulators } from './emulators.ts';
import type { Limits } from './limits.ts';
import { createServer } from './server.ts';

/** Larger messages end the connection: a call takes texts of at most four megabytes. */
const maxBufferSize = 16 * 1024 * 1024;

/** Serves one agent over the standard streams until it closes them, or the run is stopped (then it rejects); ends what runs then. */
export async function serve(limits: Limits, session: Session): Promise<void> {
  const { context, global, typed } = session;
  const { input, output } = context.standardStreams();
  const over = new AbortController();
  const end = (): void => over.abort(new AuthcliError('interrupted', 'The server has ended.'));
  context.signal.addEventListener('abort', end, { once: true });
  const emulators = new Emulators();
  session.atEnd(() => void emulators.stop());
  const server = {
    context: contextWith(context, { signal: over.signal }),
    global,
    limits,
    commands: session.commands,
    program: typed.program,
    signinCommand: session.childCommand,
  };
  const transport = new StdioServerTransport(input, output, { maxBufferSize });
  const connection = serveStdio(() => createServer(server, emulators), { transport });
  const closeConnection = transport.onclose;
  transport.onclose = () => {
    closeConnection?.();
    end();
  };
  if (!over.signal.aborted) {
    await new Promise((resolve) => over.signal.addEventListener('abort', resolve));
  }
  await emulators.stop();
  await connection.close();
  context.signal.throwIfAborted();
}
