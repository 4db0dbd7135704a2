import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';
import type { Bundle } from './bundle.ts';

const folder = 'src/ui';

/** The page on which emulators are watched: script and style in its HTML, so that it loads nothing. */
export async function bundlePage(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${folder}/main.ts`],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    metafile: true,
    write: false,
  });
  const css = await transform(readFileSync(`${folder}/style.css`, 'utf8'), {
    loader: 'css',
    minify: true,
  });
  const script = outputFiles[0]?.text.trim() ?? '';
  const html = readFileSync(`${folder}/page.html`, 'utf8')
    .replace(/<link[^>]*href="style\.css"[^>]*>/, () => `<style>${css.code.trim()}</style>`)
    .replace(/<script[^>]*><\/script>/, () => `<script type="module">${script}</script>`);
  return { files: [{ path: 'dist/ui.html', text: html }], inputs: Object.keys(metafile.inputs) };
}
