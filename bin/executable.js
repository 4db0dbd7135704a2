'use strict';

// The first script of a single executable, and of its threads: Node's loader takes from the executable what a
// package has in files. They appear in a folder of its own name.
const { createRequire, registerHooks } = require('node:module');
const { getRawAsset } = require('node:sea');
const { pathToFileURL } = require('node:url');
const { isMainThread } = require('node:worker_threads');

const folder = `${process.execPath}/`;
const root = pathToFileURL(folder).href;

registerHooks({
  resolve(specifier, context, next) {
    if (!/^\.\.?\//.test(specifier)) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    return { url: href, format: 'commonjs', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(root)) return next(url, context);
    const source = Buffer.from(getRawAsset(url.slice(root.length))).toString();
    return { source, format: 'commonjs', shortCircuit: true };
  },
});

createRequire(folder)(isMainThread ? './bin/authcli.js' : './bin/load-worker.js');
