import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { readJson } from '../protocol/json.ts';
import { ownProperty } from '../protocol/json-type.ts';
import { fail } from './expect.ts';
import { fieldsIn } from './signin-expect.ts';
import type { ReceivedCall } from './signin-world.ts';

/** The fields that a request must have, and what may stand in each. */
export type RequiredFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Demands that the body is a JSON object in which each field stands with its value. A value that is
 * no string is left to the check that is about that.
 */
export function expectFields(call: ReceivedCall, required: RequiredFields): void {
  const fields = fieldsIn(call);
  if (fields === undefined) failBody(call);
  for (const [name, right] of Object.entries(required)) {
    const value = ownProperty(fields, name);
    if (value === undefined || value === '' || value === null) failMissing(call, name);
    if (typeof value !== 'string' || [right].flat().includes(value)) continue;
    fail({
      expected: `${name} as the application was given it`,
      observed: `another text of ${value.length} characters`,
      diagnosis: diagnosis('field-malformed', `${name} is not what was given.`, unchanged(name)),
      evidence: call.exchange,
    });
  }
}

function failBody(call: ReceivedCall): never {
  const reading = readJson(call.exchange.request.body);
  const observed = reading.ok ? 'JSON that is no object' : `no JSON (${reading.reason})`;
  const hint = 'Encode the fields as one JSON object in UTF-8, with a JSON library, not as a form.';
  return fail({
    expected: 'a JSON object in the body',
    observed,
    diagnosis: diagnosis('not-json', `The body of the request is ${observed}.`, hint),
    evidence: call.exchange,
  });
}

function failMissing(call: ReceivedCall, name: string): never {
  return fail({
    expected: `the field ${name}`,
    observed: `a ${call.operation} request without ${name}`,
    diagnosis: diagnosis(
      'field-missing',
      `The field "${name}" of the request is missing or empty.`,
      `Send ${name} in the JSON body, spelt like this.`,
    ),
    evidence: call.exchange,
  });
}

function unchanged(name: string): string {
  return name.endsWith('_token')
    ? `Pass ${name} on as it came: not decoded, trimmed, cut or kept from an earlier sign-in.`
    : `Take ${name} from the set-up of the application, unchanged.`;
}
