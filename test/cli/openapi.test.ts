import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { createConfig, lint } from '@redocly/openapi-core';
import { parse } from 'yaml';
import type { Exchange } from '../../src/client/exchange.ts';
import { createTransport } from '../../src/client/transport.ts';
import { malform, malformedNames } from '../../src/conformance/malformed.ts';
import { authenticatePath, tokenPath } from '../../src/protocol/endpoints.ts';
import { violations } from '../support/json-schema.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const file = 'schemas/openapi.yaml';
const document = parse(readFileSync(file, 'utf8'));
const { configFile, cli, cliJson } = workspace();
const exchanges: Exchange[] = [];

/** Malformed in a way that names, types and forms don't show. */
const wellFormed = [
  ...['public-key-no-key', 'public-key-truncated', 'client-id-foreign'],
  ...['undecryptable-partner-sp', 'unknown-user'],
];

const schemaOf = (name: string): object => ({
  ...document.components.schemas[name],
  components: document.components,
});

function read(body: Uint8Array = new Uint8Array()): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

/** The schema of a response to either callback, or to a path of the service. */
function responseSchema(path: string): object {
  const operation = document.paths[path].post.responses['200'];
  const content = operation.content ?? document.components.responses.Callback.content;
  return { ...content['application/json'].schema, components: document.components };
}

function kindOf({ request }: Exchange): { readonly request: string; readonly path: string } {
  const url = String(request.url);
  if (url.endsWith(tokenPath)) return { request: 'TokenRequest', path: tokenPath };
  if (url.endsWith(authenticatePath)) {
    return { request: 'AuthenticateRequest', path: authenticatePath };
  }
  return { request: 'CallbackRequest', path: '/callback' };
}

before(async () => {
  const openTransport = async (options: Parameters<typeof createTransport>[0]) => {
    const { close, send } = createTransport(options);
    const recorded: typeof send = async (...args) => {
      const exchange = await send(...args);
      exchanges.push(exchange);
      return exchange;
    };
    return { close, send: recorded };
  };
  const environment = { context: { openTransport } };
  const demo = await cli(['demo'], environment);
  assert.equal(demo.status, 0, demo.stderr);
  const app = await startSide(['app', '--client-id', 'c'], { configFile });
  const verified = await cli(['verify', '--url', app.url, '--client-id', 'c'], environment);
  await app.stop();
  assert.equal(verified.status, 0, verified.stdout);
});

describe('the OpenAPI document', () => {
  it('has no problem that Redocly finds', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lint({ ref: file, config });
    assert.deepEqual(
      problems.map(({ message, location }) => [message, location[0]?.pointer]),
      [],
    );
  });

  it('is what the command prints, as YAML and as JSON', async () => {
    assert.equal((await cli(['openapi'])).stdout, readFileSync(file, 'utf8'));
    assert.deepEqual((await cliJson(['openapi'])).json.document, document);
  });

  it('accepts every response of the emulators, and every request of a sign-up and a sign-in', () => {
    const kinds = new Set<string>();
    for (const exchange of exchanges) {
      const { request, path } = kindOf(exchange);
      const response = read(exchange.response?.body);
      assert.deepEqual(violations(response, responseSchema(path)), [], JSON.stringify(response));
      if ((response as { readonly code: string }).code !== '0000') continue;
      assert.deepEqual(violations(read(exchange.request.body), schemaOf(request)), []);
      kinds.add(request);
    }
    assert.deepEqual([...kinds].sort(), ['AuthenticateRequest', 'CallbackRequest', 'TokenRequest']);
  });

  it('refuses every malformed request but those that only their content shows', () => {
    for (const name of malformedNames) {
      const usedType = name.includes('partner-sp') || name === 'unknown-user' ? '2' : '1';
      const valid = exchanges.find(({ request }) =>
        Buffer.from(request.body).includes(`"used_type":"${usedType}"`),
      );
      assert.ok(valid !== undefined);
      const malformed = read(malform(name, valid.request).body);
      const isRefused = violations(malformed, schemaOf('CallbackRequest')).length > 0;
      assert.equal(isRefused, !wellFormed.includes(name), name);
    }
  });
});
