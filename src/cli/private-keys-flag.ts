import { openPrivateKey } from '../crypto/open-private-key.ts';
import type { Content } from './content.ts';
import { list } from './options.ts';

export const privateKeysFlag = list(
  '--private-key <file>',
  'the private key of the public_key that was sent; further ones are tried as earlier keys',
  { input: 'file', secret: true, readLate: ({ bytes }: Content) => openPrivateKey(bytes) },
);
