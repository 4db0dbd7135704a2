import { diagnoses, emulatorCodes } from '../../src/cli/explain/explanations.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import type { EmulatorRequest, EmulatorResponse, StreamSink } from '../../src/emulator/http.ts';
import { Journal } from '../../src/emulator/journal.ts';
import { Feed } from '../../src/page/feed.ts';
import { servePage } from '../../src/page/server.ts';
import { watchedCall } from '../../src/page/watched.ts';
import type { Detail, Hello, Revealed, Update } from '../../src/page/wire.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { newApplication } from '../emulator/support.ts';

export const token = 'token-of-this-run-0123456789';
export const origin = 'http://127.0.0.1:8080';

export const hello: Hello = {
  run: 'run-1',
  side: 'application',
  url: origin,
  about: 'client client-1',
};

/** An emulated application with its page, without a network. */
export function newPage() {
  const environment = newApplication();
  const { faults } = environment.application;
  const redaction = new Redactor();
  const journal = new Journal(redaction);
  const feed = new Feed();
  const known = new Map([...emulatorCodes(), ...diagnoses()].map((each) => [each.code, each]));
  const explain = (code: string) => known.get(code);
  const [html, program] = ['<style>p{}</style><script>1</script>', 'npx authcli'];
  const stack = () => 'java' as const;
  const shown = { html, token, origin, hello, feed, explain, stack, program, redaction };
  const page = servePage({ ...shown, cipher: defaultCipher, reveals: true });
  const ask = async (method: string, path: string, fields?: unknown): Promise<EmulatorResponse> => {
    const [name = '', query = ''] = path.split('?');
    const response = await page.respond({
      method,
      path: `/_authcli/ui/${token}/${name}`,
      query,
      headers: { host: '127.0.0.1:8080', origin, 'sec-fetch-site': 'same-origin' },
      peer: '127.0.0.1',
      body: Buffer.from(fields === undefined ? '' : JSON.stringify(fields)),
    });
    if (response === undefined) throw new Error('not a path of the page');
    return response;
  };
  /** Has the application respond, as the emulator would. */
  const receive = async (request: EmulatorRequest): Promise<void> => {
    const handled = await environment.call(request);
    const call = journal.record({ ...handled, request, receivedAt: 0, durationMs: 1 });
    feed.add(watchedCall(call, faults.catalogue, defaultCipher));
  };
  const detail = async (id: number) => jsonOf<Detail>(await ask('GET', `exchange?id=${id}`));
  const revealed = async (id: number, item: string) =>
    jsonOf<Revealed>(await ask('POST', 'reveal', { id, item })).value;
  return { ...environment, page, feed, ask, receive, detail, revealed };
}

/** A response as JSON. */
export function jsonOf<T>({ body }: EmulatorResponse): T {
  return JSON.parse(Buffer.from(body).toString()) as T;
}

/** Events as they come over a stream. */
export class Events implements StreamSink {
  readonly events: { name?: string; id?: string; data?: string }[] = [];
  isEnded = false;

  write(text: string): void {
    for (const [, id, name, data] of text.matchAll(/(?:id: (.*)\n)?event: (.*)\ndata: (.*)\n\n/g))
      this.events.push({ name, id, data });
  }

  end(): void {
    this.isEnded = true;
  }

  /** The numbers of the rows in each update. */
  get rows(): readonly (readonly number[])[] {
    return this.events
      .filter(({ name }) => name === 'update')
      .map(({ data = '' }) => (JSON.parse(data) as Update).rows.map(({ id }) => id));
  }
}
