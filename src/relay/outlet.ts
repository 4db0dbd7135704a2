import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { resetConnection } from '../emulator/tls.ts';
import type { Framing, Piece } from './http-stream.ts';
import { withBody } from './message-edit.ts';
import { maxKeptBytes } from './seen-exchange.ts';

/** What is sent in place of a message. */
export interface ChangedMessage {
  readonly body: Uint8Array;
  /** Start line and headers; as they came where left out. */
  readonly head?: Buffer;
  readonly delayMs?: number;
  readonly breakOff?: 'reset' | 'close' | 'truncate' | 'silence';
}

/** A message that is buffered until it is whole, and may be changed then. */
interface Hold {
  readonly framing: Framing;
  /** The head goes on at once; the body can then only change if its length doesn't matter or stays. */
  readonly headFirst: boolean;
  readonly change: () => Promise<ChangedMessage | undefined>;
  /** Called with the body that is sent in place of the one that came. */
  readonly onChanged?: (body: Uint8Array) => void;
}

/** What is written to one side of a relayed connection. */
export class Outlet {
  readonly #socket: Socket;
  #hold: Hold | undefined;
  #held: Piece[] = [];
  #heldBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Buffers the message that begins next. */
  hold(hold: Hold): void {
    this.#hold = hold;
  }

  /** Sends what is passed in as few segments as possible, until `flush`. */
  gather(): void {
    this.#socket.cork();
  }

  flush(): void {
    this.#socket.uncork();
  }

  /** Resolves when the socket takes more. */
  async pass(piece: Piece): Promise<void> {
    const hold = this.#hold;
    if (hold === undefined) return this.#write(piece.bytes);
    this.#held.push(piece);
    this.#heldBytes += piece.bytes.length;
    if (piece.kind === 'head' && hold.headFirst) {
      this.#held = [];
      return this.#write(piece.bytes);
    }
    if (piece.kind === 'end') return this.#release(hold);
    if (this.#heldBytes > maxKeptBytes || piece.kind === 'opaque') await this.#writeHeld();
  }

  async #release(hold: Hold): Promise<void> {
    this.flush();
    const changed = await hold.change();
    if (changed === undefined) return this.#writeHeld();
    const { breakOff, delayMs = 0 } = changed;
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
    const bytes = this.#changedBytes(hold, changed);
    if (bytes === undefined) return this.#writeHeld();
    hold.onChanged?.(changed.body);
    this.#letGo();
    if (breakOff === 'silence') return new Promise(() => {});
    if (breakOff === 'reset') resetConnection(this.#socket);
    else if (breakOff === 'close') this.#socket.end();
    else if (breakOff === 'truncate') {
      this.#socket.end(bytes.subarray(0, bytes.length - (changed.body.length >> 1)));
    } else await this.#write(bytes);
  }

  #changedBytes({ framing, headFirst }: Hold, { head, body }: ChangedMessage): Buffer | undefined {
    const own = Buffer.concat(
      this.#held.map(({ kind, bytes }) => (kind === 'head' ? bytes : empty)),
    );
    const end = this.#held.at(-1)?.bytes ?? empty;
    const isFixed = headFirst && framing.kind === 'length' && framing.length !== body.length;
    return isFixed ? undefined : withBody({ head: head ?? own, framing, end }, body);
  }

  async #writeHeld(): Promise<void> {
    const bytes = Buffer.concat(this.#held.map((piece) => piece.bytes));
    this.#letGo();
    await this.#write(bytes);
  }

  #letGo(): void {
    this.#hold = undefined;
    this.#held = [];
    this.#heldBytes = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    const socket = this.#socket;
    if (bytes.length === 0 || socket.destroyed || socket.write(bytes)) return;
    this.flush();
    await new Promise<void>((resolve) => {
      const go = (): void => {
        socket.off('drain', go).off('close', go);
        resolve();
      };
      socket.on('drain', go).on('close', go);
    });
  }
}

const empty = Buffer.alloc(0);
