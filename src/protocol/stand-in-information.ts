import { encodeUserInformation } from './user-info.ts';

/** User information for a user of whom nothing is said; the address tells which user it is. */
export function inventUserInformation(ptnCd: string): string {
  const box = ptnCd.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40);
  return encodeUserInformation({
    email: `${box}@example.com`,
    name: 'Test User',
    phone: '+1-555-0100',
  });
}
