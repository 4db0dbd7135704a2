/** Builds and packs authcli into a folder (`npm run package`, or `npm run package -- FOLDER`). */
import { packages } from './build.ts';
import { billOf, manifest, packPackage } from './published.ts';

const [target = '.'] = process.argv.slice(2);
packPackage(target, billOf(manifest.name, packages));
