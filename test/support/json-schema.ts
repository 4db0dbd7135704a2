import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv2020({ allErrors: true, strictTypes: true });
addFormats.default(ajv);

/** Where a value breaks a schema of JSON Schema 2020-12, as "path what"; empty where it doesn't. */
export function violations(value: unknown, schema: object): readonly string[] {
  const validate = ajv.compile(schema); // remembered for each schema
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
