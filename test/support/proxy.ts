import { connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { unbracket } from '../../src/client/route.ts';
import { type Line, startFaultServer, type TestServer } from './fault-server.ts';

/** What a proxy does. */
export interface ProxyBehaviour {
  /** The value that Proxy-Authorization must have; anything else gets 407. */
  readonly authorization?: string;
  /** The response to every request instead. */
  readonly refusal?: string;
  /** Speaks TLS to its clients. */
  readonly tls?: TlsOptions;
}

/** A small proxy: tunnels by CONNECT, and forwarding of one plain request a connection. */
export function startProxy(behaviour: ProxyBehaviour = {}): Promise<TestServer> {
  return startFaultServer((line) => serve(line, behaviour), behaviour.tls);
}

async function serve(line: Line, { authorization, refusal }: ProxyBehaviour): Promise<void> {
  const { head, body } = await line.request();
  if (refusal !== undefined) return line.send(refusal);
  const given = /^proxy-authorization: (.*)$/im.exec(head)?.[1];
  if (authorization !== undefined && given !== authorization) {
    return line.send(
      'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n',
    );
  }
  const [method, path = ''] = head.split(' ');
  if (method === 'CONNECT') return tunnel(line, path);
  const url = new URL(path);
  const target = join(line.socket, unbracket(url.hostname), Number(url.port));
  const close = head.replace(path, url.pathname).replace('keep-alive', 'close');
  target.write(`${close}\r\n\r\n`);
  target.write(body);
}

function tunnel(line: Line, authority: string): void {
  const { hostname, port } = new URL(`http://${authority}`);
  const target = join(line.socket, unbracket(hostname), Number(port), () => {
    line.send('HTTP/1.1 200 Connection established\r\n\r\n');
  });
  line.socket.on('data', (chunk) => target.write(chunk));
}

function join(client: Socket, host: string, port: number, onConnect = () => {}): Socket {
  const target = connect({ host, port }, onConnect);
  target.on('error', () => client.destroy());
  target.on('data', (chunk) => client.write(chunk));
  target.on('close', () => client.destroy());
  client.on('close', () => target.destroy());
  return target;
}
