import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { verifyDirectly } from './directly.ts';
import { application } from './support.ts';

/** The reference application, which refuses the registrations of one check. */
function refusing(id: string) {
  const handle = application();
  return async (request: EmulatorRequest) => {
    const isRefused =
      request.headers['x-authcli-check'] === id &&
      JSON.parse(`${Buffer.from(request.body)}`).used_type === '2';
    const response = await handle(request);
    return isRefused
      ? { ...response, body: Buffer.from('{"code":"E01","message":"refused"}') }
      : response;
  };
}

const rows = [
  ['registration/without-user-info', /With ubifill .* accepted/, /ubifill, which is optional/],
  ['registration/unicode-user-info', /name in ASCII .* accepted/, /charset .* utf8mb4/],
] as const;

describe('a registration that is refused for its user information', () => {
  for (const [id, cause, fix] of rows) {
    it(`is explained by its control: ${id}`, async () => {
      const check = ['registration/answers-success', id];
      const { checks } = await verifyDirectly(refusing(id), { check });
      const fault = checks.find((result) => result.check.id === id)?.fault;
      assert.match(fault?.diagnosis?.message ?? '', cause);
      assert.match(fault?.fix ?? '', fix);
    });
  }
});
