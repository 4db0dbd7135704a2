import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createConfig, lint } from '@redocly/openapi-core';
import { parse } from 'yaml';
import type { Exchange } from '../../src/client/exchange.ts';
import { createTransport } from '../../src/client/transport.ts';
import { malform, malformedNames } from '../../src/conformance/malformed.ts';
import { authenticatePath, tokenPath } from '../../src/protocol/endpoints.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const file = 'schemas/openapi.yaml';
const document = parse(readFileSync(file, 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'authcli-openapi-'));
const configFile = join(folder, 'config.json');
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
  const environment = { configFile, context: { openTransport } };
  const demo = await run(['demo'], environment);
  assert.equal(demo.status, 0, demo.stderr);
  const app = await startSide(['app', '--client-id', 'c'], { configFile });
  const verified = await run(['verify', '--url', app.url, '--client-id', 'c'], environment);
  await app.stop();
  assert.equal(verified.status, 0, verified.stdout);
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the OpenAPI document', () => {
  it('has no problem that Redocly finds', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lint({ ref: file, config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    );
  });

  it('is what the command prints, as YAML and as JSON', async () => {
    const { stdout } = await run(['openapi'], { configFile });
    assert.equal(stdout, readFileSync(file, 'utf8'));
    const { stdout: json } = await run(['openapi', '--json'], { configFile });
    assert.deepEqual(JSON.parse(json).document, document);
  });

  it('accepts every response of the emulators, and every request of a sign-up and a sign-in', () => {
    const kinds = new Set<string>();
    for (const exchange of exchanges) {
      const { request, path } = kindOf(exchange);
      const response = read(exchange.response?.body);
      assert.deepEqual(violations(response, responseSchema(path)), [], JSON.stringify(response));
      const isSuccess = (response as { readonly code: string }).code === '0000';
      if (!isSuccess) continue;
      assert.deepEqual(violations(read(exchange.request.body), schemaOf(request)), []);
      kinds.add(request);
    }
    assert.deepEqual([...kinds].sort(), ['AuthenticateRequest', 'CallbackRequest', 'TokenRequest']);
  });

  it('refuses every malformed request but those that only their content shows', () => {
    for (const name of malformedNames) {
      const isRefused = !wellFormed.includes(name);
      const usedType = name.includes('partner-sp') || name === 'unknown-user' ? '2' : '1';
      const valid = exchanges.find(({ request }) => {
        const fields = read(request.body) as { readonly used_type?: unknown } | undefined;
        return fields?.used_type === usedType;
      });
      assert.ok(valid !== undefined);
      const malformed = read(malform(name, valid.request).request.body);
      const found = violations(malformed, schemaOf('CallbackRequest'));
      assert.equal(found.length > 0, isRefused, name);
    }
  });

  it('refuses a response that lacks what the interface requires', () => {
    const success = { code: '0000', message: '' };
    const result = { acs_token: 'a', expire_dt: '20261332000000', ptn_cd: 'u' };
    const wrong = [
      ...[success, { code: 0, message: '' }, { code: '0001' }, { ...success, result }],
      { ...success, result: { ptn_sp: 'AAAA', acs_token: 'a' } },
    ];
    for (const body of wrong) {
      assert.notDeepEqual(violations(body, responseSchema(tokenPath)), [], JSON.stringify(body));
    }
  });
});
