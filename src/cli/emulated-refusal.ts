import type { CallOutcome } from '../client/call.ts';
import { applicationCodes, serviceCodes } from '../emulator/refusals.ts';
import { isLoopback } from '../protocol/endpoints.ts';
import { excerptOf } from '../text.ts';
import type { Failure } from './failure.ts';

const codes = { application: applicationCodes, service: serviceCodes };

/**
 * What the code of an emulated side means, and how to fix it; undefined for any other code. On this
 * machine a code of its table is that of the emulator.
 */
export function emulatedRefusal(
  failure: Failure,
  { exchange, reading }: Pick<CallOutcome<object>, 'exchange' | 'reading'>,
  side: keyof typeof codes,
): Failure | undefined {
  const { code = '', message: text = '' } = reading ?? {};
  const entry = Object.values(codes[side]).find((known) => known.code === code);
  if (entry === undefined || !isLoopback(exchange.request.url)) return undefined;
  const { meaning, fix } = entry;
  const says = text === '' || text === meaning ? '' : ` It says: "${excerptOf(text, 120)}"`;
  const message = `The emulated ${side} refuses with ${code}: ${meaning}${says}`;
  return { ...failure, message, hint: fix, calls: {}, next: { words: ['explain', code] } };
}
