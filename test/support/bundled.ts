import { writeFileSync } from 'node:fs';
import { bundle } from '../../scripts/bundle.ts';

/** Bundles a file of the tests into one file: processes that each compile it would take longer than their work. */
export async function bundleInto(
  target: string,
  format: 'cjs' | 'esm',
  source: string,
): Promise<void> {
  const { files } = await bundle(
    { input: source, platform: 'node', transform: { target: 'node20.19' } },
    { format, exports: 'named', codeSplitting: false },
  );
  writeFileSync(target, files[0]?.text ?? '');
}
