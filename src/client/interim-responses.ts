const endOfHead = '\r\n\r\n';
const longestHead = 16 * 1024;

/**
 * Takes every `100 Continue` out of the bytes before a response: RFC 9110 15.2 has a client accept one
 * that it didn't ask for, and undici ends the connection instead. Other bytes are handed on as they come.
 */
export class InterimResponses {
  #held: Buffer = Buffer.alloc(0);
  /** The last bytes of another informational response, while its end is awaited. */
  #tail: Buffer | undefined;
  #isOver = false;

  /** Whether the response itself has begun: all further bytes are its own. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What of the bytes so far can be handed on. */
  push(chunk: Buffer): Buffer {
    if (this.#isOver) return chunk;
    const passed: Buffer[] = [];
    let bytes: Buffer = Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (bytes.length > 0) {
      const next = this.#step(bytes, passed);
      if (next === undefined) break;
      bytes = next;
    }
    return Buffer.concat(passed);
  }

  /** Handles the bytes up to the end of a head; returns those behind it. */
  #step(bytes: Buffer, passed: Buffer[]): Buffer | undefined {
    if (this.#tail !== undefined) return this.#passOther(bytes, this.#tail, passed);
    const start = bytes.toString('latin1', 0, 13);
    const end = bytes.indexOf(endOfHead);
    if (/^HTTP\/1\.[01] 100[ \r]/.test(start) && bytes.length < longestHead) {
      if (end !== -1) return bytes.subarray(end + endOfHead.length);
    } else if (!mayBecome100(start)) {
      if (/^HTTP\/1\.[01] 1(?!01)\d\d/.test(start)) {
        this.#tail = Buffer.alloc(0);
        return bytes;
      }
      this.#isOver = true;
      passed.push(bytes);
      return undefined;
    }
    this.#held = bytes;
    return undefined;
  }

  #passOther(bytes: Buffer, tail: Buffer, passed: Buffer[]): Buffer | undefined {
    const end = Buffer.concat([tail, bytes]).indexOf(endOfHead);
    if (end === -1) {
      this.#tail = Buffer.concat([tail, bytes]).subarray(1 - endOfHead.length);
      passed.push(bytes);
      return undefined;
    }
    this.#tail = undefined;
    const length = end + endOfHead.length - tail.length;
    passed.push(bytes.subarray(0, length));
    return bytes.subarray(length);
  }
}

function mayBecome100(start: string): boolean {
  return ['HTTP/1.1 100', 'HTTP/1.0 100'].some((line) => line.startsWith(start));
}
