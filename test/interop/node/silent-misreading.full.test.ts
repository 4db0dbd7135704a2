import { decryptions, startHandWritten } from '../../support/hand-written-application.ts';
import { describeSilentMisreadings } from '../misreading.ts';

const decrypts = {
  'iv-kept': decryptions.ivKept,
  'unchecked-padding': decryptions.uncheckedPadding,
} as const;

describeSilentMisreadings(
  'Node',
  async (reading, visit) => {
    const { url, close } = await startHandWritten({ decrypt: decrypts[reading] });
    return visit(url.href).finally(close);
  },
  /'aes-256-cbc', key, raw\.subarray\(0, 16\)/,
);
