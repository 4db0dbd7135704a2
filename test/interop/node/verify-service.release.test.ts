import { fileURLToPath } from 'node:url';
import { describeService } from '../../support/service-program.ts';

const script = fileURLToPath(new URL('services/service.mjs', import.meta.url));

const accepted = 'accepted-bad-input';

describeService(
  'A service with node:http and node:crypto',
  [process.execPath, script],
  ['plain', 'close', 'chunked', 'extra-fields', 'pretty', 'statuses'],
  [
    { variant: 'lower', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'lower-client', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'includes', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'boolean', check: 'service/exact-credentials', diagnosis: accepted },
    {
      variant: 'database',
      check: 'service/exact-credentials',
      diagnosis: accepted,
      says: /with secret_key as an object/,
    },
    { variant: 'optional', check: 'service/rejects-wrong-secret', diagnosis: accepted },
    { variant: 'unbound', check: 'service/rejects-foreign-ptn-token', diagnosis: accepted },
    { variant: 'prefix-token', check: 'service/exact-tokens', diagnosis: accepted },
    {
      variant: 'lower-token',
      check: 'service/exact-tokens',
      diagnosis: accepted,
      says: /with acs_token with upper and lower case swapped/,
    },
    { variant: 'loose-equal', check: 'service/exact-form', diagnosis: accepted },
    { variant: 'array-token', check: 'service/exact-form', diagnosis: accepted },
    { variant: 'bearer', check: 'service/secret-in-body-only', diagnosis: accepted },
    { variant: 'cookie', check: 'service/secret-in-body-only', diagnosis: accepted },
    { variant: 'query', check: 'service/secret-in-body-only', diagnosis: accepted },
    { variant: 'race', check: 'service/rejects-parallel-use', diagnosis: accepted },
    {
      variant: 'destroys',
      check: 'service/rejects-unknown-ptn-token',
      diagnosis: 'reset',
      says: /the service closed the connection without a response; section 7/,
    },
    {
      variant: 'breaks-off',
      check: 'service/rejects-wrong-secret',
      diagnosis: 'reset',
      says: /the service closed the connection in the middle of its response; section 7/,
    },
    {
      variant: 'hangs',
      check: 'service/rejects-used-acs-token',
      diagnosis: 'timeout',
      says: /the service did not respond in time; section 7/,
    },
    { variant: 'shows-secret', check: 'service/secrets-not-shown', diagnosis: 'key-leaked' },
    {
      variant: 'shows-passcode',
      check: 'service/secrets-not-shown',
      diagnosis: 'key-leaked',
      says: /authenticate request contains the passcode/,
    },
  ],
);
