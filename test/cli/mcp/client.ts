import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Context } from '../../../src/cli/context.ts';
import { type RunResult, run } from '../../support/run.ts';

/** What a tool returned. */
export interface Returned {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: documents of several commands, each asserted on where it is used
  readonly document: any;
}

export interface Agent {
  readonly client: Client;
  /** A folder of its own, the current one of the server. */
  readonly folder: string;
  readonly call: (
    name: string,
    given?: Record<string, unknown>,
    options?: Parameters<Client['callTool']>[1],
  ) => Promise<Returned>;
  /** Closes the connection; resolves with what the server left behind. */
  readonly leave: () => Promise<RunResult>;
}

export interface AgentOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly context?: Partial<Context>;
  /** Called with the folder before the server starts. */
  readonly prepare?: (folder: string) => void;
}

/** The official client, connected to `authcli mcp` in this process over a pair of streams. */
export async function connectAgent(test: TestContext, options: AgentOptions = {}): Promise<Agent> {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-mcp-'));
  options.prepare?.(folder);
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const ended = run(['mcp', ...(options.args ?? [])], {
    configFile: join(folder, 'config', 'config.json'),
    cwd: folder,
    env: options.env ?? {},
    context: {
      standardStreams: () => ({ input: toServer, output: toClient }),
      ...options.context,
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  // A transport of JSON lines over streams: at this end, what one side writes the other reads.
  await client.connect(new StdioServerTransport(toClient, toServer));
  const leave = async (): Promise<RunResult> => {
    await client.close();
    toServer.end();
    return ended;
  };
  test.after(async () => {
    await leave();
    rmSync(folder, { recursive: true });
  });
  return {
    client,
    folder,
    leave,
    call: callsOf(client),
  };
}

/** The official client, connected to `authcli mcp` of an installation as a process of its own. */
export async function connectToProgram(
  test: TestContext,
  [command, ...args]: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Pick<Agent, 'client' | 'call'>> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  test.after(() => client.close());
  const server = { command, args: [...args, 'mcp'], cwd, env: { ...env } };
  await client.connect(new StdioClientTransport(server));
  return { client, call: callsOf(client) };
}

/** The texts of all resources, by their addresses. */
export async function resourceTexts(client: Client): Promise<ReadonlyMap<string, string>> {
  const { resources } = await client.listResources();
  const texts = new Map<string, string>();
  for (const { uri } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    texts.set(uri, content !== undefined && 'text' in content ? content.text : '');
  }
  return texts;
}

function callsOf(client: Client): Agent['call'] {
  return async (name, given = {}, options) => {
    const result = await client.callTool({ name, arguments: given }, options);
    return returned(result as CallToolResult);
  };
}

/** The parts of a result that tests check. */
function returned({ isError, content, structuredContent }: CallToolResult): Returned {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { isError: isError === true, text, document: structuredContent };
}
