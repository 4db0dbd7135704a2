import { decodeUtf8 } from '../../bytes.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { parseCallbackRequest } from '../../protocol/callbacks.ts';
import type { EmulatorResponse } from '../http.ts';
import { defineFaults, type Situation } from './points.ts';

/** What goes wrong only at certain times, for certain data, or in certain responses. */
export const situationFaults = defineFaults(undefined, {
  'protocol/concurrent-signups': {
    'mixes-up-concurrent-users': {
      storedUser: (right, seen) => {
        const other = userUnderWay(seen);
        return right && other !== undefined ? { ...right, ptnCd: other } : right;
      },
      response: (right, { operation }) => (operation === 'key-exchange' ? late(right) : right),
      diagnosis: 'shared-state',
    },
  },
  'registration/unicode-user-info': {
    'refuses-unicode': {
      value: (right, seen) =>
        isOutsideAscii(seen) ? { code: 'A999', message: 'The name is not valid.' } : right,
      diagnosis: 'code-not-success',
    },
  },
  'protocol/http-status': {
    'redirects-errors': {
      response: (right, { refusal }) =>
        refusal === undefined
          ? right
          : { ...right, status: 303, headers: { ...right.headers, location: '/error' } },
      diagnosis: 'redirect',
    },
  },
});

/** How long a call counts as under way, in milliseconds; its response comes later than that. */
const underWayMs = 100;

/** The user whose key exchange is under way at the same time, if any; this one is from now on. */
function userUnderWay({ ptnCd, now, memory }: Situation): string | undefined {
  const before = memory.get('under way') as { ptnCd: string; until: number } | undefined;
  memory.set('under way', { ptnCd, until: now + underWayMs });
  return before !== undefined && before.until > now && before.ptnCd !== ptnCd
    ? before.ptnCd
    : undefined;
}

function late(response: EmulatorResponse): EmulatorResponse {
  return { ...response, delivery: { ...response.delivery, delayMs: underWayMs + 10 } };
}

function isOutsideAscii({ request, user, cipher }: Situation): boolean {
  const reading = parseCallbackRequest(request.body);
  const ubifill = reading.ok && reading.value.usedType === '2' ? reading.value.ubifill : undefined;
  if (ubifill === undefined || user === undefined) return false;
  const result = decryptPayload(ubifill, user.key.reveal(), cipher);
  return result.ok && /[^\p{ASCII}]/u.test(decodeUtf8(result.plaintext) ?? '');
}
