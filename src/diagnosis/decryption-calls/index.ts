import type { Cipher } from '../../crypto/cipher.ts';
import type { Calls, Stack } from '../../errors.ts';
import { csharpCall, goCall } from './compiled.ts';
import { javaCall, kotlinCall } from './jvm.ts';
import { nodeCall, phpCall, pythonCall, rubyCall } from './scripting.ts';
import { type CallOf, wantedOf } from './wanted.ts';

const callByStack: Readonly<Record<Stack, CallOf>> = {
  java: javaCall,
  kotlin: kotlinCall,
  node: nodeCall,
  python: pythonCall,
  php: phpCall,
  go: goCall,
  csharp: csharpCall,
  ruby: rubyCall,
};

/**
 * The decryption of a payload under `cipher`, by stack: `key` is the per-user key's text, `raw` the
 * payload's bytes. A stack whose usual libraries can't decrypt it is left out.
 *
 * @param options.decodes whether the calls begin with decoding the text `payload`; by default where
 *   it is not Base64
 */
export function decryptionCalls(
  cipher: Cipher,
  { decodes = cipher.encoding !== 'base64' }: { readonly decodes?: boolean } = {},
): Calls {
  const wanted = wantedOf(cipher, decodes);
  const calls = Object.entries(callByStack).flatMap(([stack, callOf]) => {
    const call = callOf(wanted);
    return call === undefined ? [] : [[stack, call] as const];
  });
  return Object.fromEntries(calls);
}
