import { readFileSync } from 'node:fs';
import { type Bundle, bundle } from './bundle.ts';

const folder = 'src/page/browser';

/** The page on which emulators are watched: script and style in its HTML, so that it loads nothing. */
export async function bundlePage(): Promise<Bundle> {
  const { files, inputs } = await bundle(
    { input: `${folder}/main.ts`, platform: 'browser', transform: { target: 'es2022' } },
    { format: 'esm', minify: true },
  );
  const script = files[0]?.text.trim() ?? '';
  const css = readFileSync(`${folder}/style.css`, 'utf8').trim();
  const html = readFileSync(`${folder}/page.html`, 'utf8')
    .replace(/<link[^>]*href="style\.css"[^>]*>/, () => `<style>${css}</style>`)
    .replace(/<script[^>]*><\/script>/, () => `<script type="module">${script}</script>`);
  return { files: [{ path: 'dist/ui.html', text: html }], inputs };
}
