import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** By the text of its schema: files that share a process read the same schema more than once. */
const validators = new Map<string, ValidateFunction>();

/** Where a value breaks a schema of JSON Schema 2020-12, as "path what"; empty where it doesn't. */
export function violations(value: unknown, schema: object): readonly string[] {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? compiled(schema);
  validators.set(text, validate);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function compiled(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: true });
  addFormats.default(ajv);
  // Of OpenAPI documents: they say nothing about what is valid.
  ajv.addVocabulary(['components', 'discriminator', 'x-open']);
  return ajv.compile(schema);
}
