import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { run } from '../../support/run.ts';

interface AgentOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the folder before the server starts. */
  readonly prepare?: (folder: string) => void;
}

/** The official client, connected to `authcli mcp` in this process over a pair of streams. */
export async function connectAgent(test: TestContext, options: AgentOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-mcp-'));
  options.prepare?.(folder);
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const ended = run(['mcp', ...(options.args ?? [])], {
    configFile: join(folder, 'config', 'config.json'),
    cwd: folder,
    env: options.env ?? {},
    context: { standardStreams: () => ({ input: toServer, output: toClient }) },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  // A transport of JSON lines over streams: at this end, what one side writes the other reads.
  await client.connect(new StdioServerTransport(toClient, toServer));
  /** Closes the connection; resolves with what the server left behind. */
  const leave = async () => {
    await client.close();
    toServer.end();
    return ended;
  };
  test.after(async () => {
    await leave();
    rmSync(folder, { recursive: true });
  });
  return { client, folder, leave, call: callsOf(client) };
}

/** The official client, connected to `authcli mcp` of an installation as a process of its own. */
export async function connectToProgram(
  test: TestContext,
  [command, ...args]: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  test.after(() => client.close());
  await client.connect(new StdioClientTransport({ command, args: [...args, 'mcp'], cwd, env }));
  return { client, call: callsOf(client) };
}

/** The texts of all resources, by their addresses. */
export async function resourceTexts(client: Client): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { uri } of (await client.listResources()).resources) {
    const [content] = (await client.readResource({ uri })).contents;
    texts.set(uri, content !== undefined && 'text' in content ? content.text : '');
  }
  return texts;
}

function callsOf(client: Client) {
  return async (
    name: string,
    given: Record<string, unknown> = {},
    options?: Parameters<Client['callTool']>[1],
  ) => {
    const result = (await client.callTool({ name, arguments: given }, options)) as CallToolResult;
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text.replaceAll('\\"', '"') : '',
      // biome-ignore lint/suspicious/noExplicitAny: documents of several commands, each asserted on where it is used
      document: result.structuredContent as any,
    };
  };
}
