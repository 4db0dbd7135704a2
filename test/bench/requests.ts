import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Sends a body with POST, or asks with GET; rejects for any status but 200. */
export function send(url: string, agent: Agent, body?: string): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.on('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${url} responded with HTTP ${response.statusCode}`));
    });
    sent.on('error', reject);
  });
}

export async function fetchText(url: string, agent: Agent, body?: string): Promise<string> {
  return text(await send(url, agent, body));
}
