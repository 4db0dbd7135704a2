import { fileURLToPath } from 'node:url';
import { describeService } from '../../support/service-program.ts';

const script = fileURLToPath(new URL('services/service.py', import.meta.url));

const accepted = 'accepted-bad-input';
const closed = /the service closed the connection without a response; section 7: every response/;

describeService(
  'A service with http.server and cryptography',
  ['python3', script],
  ['plain', 'keep-alive', 'chunked', 'gzip', 'extra-fields', 'statuses', 'ptn-once', 'one-thread'],
  [
    { variant: 'casefold', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'zip', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'starts-with', check: 'service/exact-credentials', diagnosis: accepted },
    { variant: 'any-type', check: 'service/exact-credentials', diagnosis: accepted },
    {
      variant: 'crashes',
      check: 'service/exact-credentials',
      diagnosis: 'reset',
      says: closed,
    },
    { variant: 'if-given', check: 'service/rejects-wrong-secret', diagnosis: accepted },
    {
      variant: 'unchecked',
      check: 'service/rejects-wrong-secret',
      diagnosis: accepted,
      says: /An authenticate request with a wrong secret_key/,
    },
    { variant: 'any-client', check: 'service/rejects-wrong-secret', diagnosis: accepted },
    {
      variant: 'hangs-up',
      check: 'service/rejects-unknown-acs-token',
      diagnosis: 'reset',
      says: closed,
    },
    {
      variant: 'one-table',
      check: 'service/exact-tokens',
      diagnosis: accepted,
      says: /with a ptn_token as acs_token/,
    },
    { variant: 'unbound', check: 'service/rejects-foreign-ptn-token', diagnosis: accepted },
    { variant: 'short-mac', check: 'service/exact-tokens', diagnosis: accepted },
    { variant: 'like', check: 'service/exact-tokens', diagnosis: accepted },
    { variant: 'trims', check: 'service/exact-form', diagnosis: accepted },
    { variant: 'api-key', check: 'service/secret-in-body-only', diagnosis: accepted },
    { variant: 'header', check: 'service/secret-in-body-only', diagnosis: accepted },
    { variant: 'reusable', check: 'service/rejects-used-acs-token', diagnosis: accepted },
    {
      variant: 'race',
      check: 'service/rejects-parallel-use',
      diagnosis: accepted,
      says: /Of 5 authenticate requests that sent one acs_token at the same time, [2-5] were/,
    },
    {
      variant: 'whole-user',
      check: 'service/secrets-not-shown',
      diagnosis: 'key-leaked',
      says: /contains the per-user key and the passcode/,
    },
    {
      variant: 'echoes',
      check: 'service/secrets-not-shown',
      diagnosis: 'key-leaked',
      says: /contains secret_key/,
    },
    {
      variant: 'debug-header',
      check: 'service/secrets-not-shown',
      diagnosis: 'key-leaked',
      says: /contains the per-user key\./,
    },
  ],
);
