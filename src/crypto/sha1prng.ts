import { createHash } from 'node:crypto';

/**
 * What Java's `SecureRandom.getInstance("SHA1PRNG")` of the SUN provider yields after
 * `setSeed(seed)` as the first call, and so what `KeyGenerator.init(bits, random)` takes as key.
 *
 * The state is SHA-1 of the seed. Each step puts out SHA-1 of the state and then adds output and one
 * to the state. A key made this way is no stronger than its seed, and other providers' SHA1PRNG
 * differ.
 */
export function sha1Prng(seed: Uint8Array, size: number): Uint8Array {
  const state = new Int8Array(sha1(seed));
  const chunks: Uint8Array[] = [];
  for (let produced = 0; produced < size; produced += 20) {
    const output = sha1(new Uint8Array(state.buffer));
    chunks.push(output);
    addToState(state, new Int8Array(output));
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/**
 * Java's bytes are signed and its shift is arithmetic, so the carry is -1, 0 or 1, and the sum is
 * not that of two big integers. Where nothing changed the first byte is counted up.
 */
function addToState(state: Int8Array, output: Int8Array): void {
  let carry = 1;
  let changed = false;
  for (const [index, before] of state.entries()) {
    const sum = before + (output[index] ?? 0) + carry;
    state[index] = sum;
    changed ||= state[index] !== before;
    carry = sum >> 8;
  }
  if (!changed) state[0] = (state[0] ?? 0) + 1;
}

function sha1(bytes: Uint8Array): Uint8Array {
  return createHash('sha1').update(bytes).digest();
}
