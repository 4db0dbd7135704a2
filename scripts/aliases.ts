import type { Plugin } from 'rolldown';

const client = "import Base from 'undici/lib/dispatcher/client.js'";
const connect = "import connect from 'undici/lib/api/api-connect.js'";

/**
 * Imports that the bundles replace, each by one line. The packages are pinned exactly, and
 * test/supply-chain.release.test.ts fails when a path goes. What each gains is in docs/performance.md.
 */
const replacements: Readonly<Record<string, string>> = {
  // conf validates only when it is given a schema, and it is not.
  'ajv/dist/2020.js': 'export class Ajv2020 {}',
  'ajv-formats': 'export default () => {};',
  // prom-client asks it for traces with its own metrics of the process, which aren't collected.
  '@opentelemetry/api': 'export {};',
  // Certificates without TLS, SSH, PKCS #7 and #12 in JavaScript.
  'node-forge':
    "import forge from 'node-forge/lib/forge.js'; import 'node-forge/lib/x509.js'; export default forge;",
  // The client without agents, fetch, caches and mocks; `connect` asks proxies for tunnels.
  undici: `${client}; ${connect}; export class Client extends Base { connect = connect; }`,
};

/** Replaces the imports of the table above. */
export const aliases: Plugin = {
  name: 'aliases',
  resolveId: (id) => (id in replacements ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? replacements[id.slice(1)] : undefined),
};
