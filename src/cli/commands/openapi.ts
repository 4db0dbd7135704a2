import { reveal } from '../../reports/redact.ts';
import { defineCommand } from '../command.ts';

export const openapi = defineCommand({
  path: 'openapi',
  about:
    'Prints the interface as an OpenAPI 3.1 document in YAML: the callback as a path and as a webhook, the endpoints of the service, and `x-open` for what the interface leaves open. With --json, the field `document` has it as JSON. Validators and generators of clients and servers read it.',
  flags: {},
  notes: [
    'A schema checks names, types and forms. What is inside the encrypted values is checked by `authcli verify`.',
  ],
  examples: {
    'the document, in a file': 'authcli openapi > openapi.yaml',
    'what the interface leaves open':
      'authcli openapi --json | jq -r \'.document | .. | .["x-open"]? // empty | strings\'',
  },
  run: async (_, { context }) => {
    const text = await context.packageText('schemas/openapi.yaml');
    const document = JSON.parse(await context.packageText('dist/openapi.json')) as unknown;
    return { fields: { document }, lines: [reveal(text.trimEnd())] };
  },
});
