#!/usr/bin/env node
'use strict';
const { readFileSync, writeSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { getAsset, isSea } = require('node:sea');
const { argv, env, platform } = process;
// The version is printed before anything else is loaded.
if (argv.length === 3 && ['--version', '-V'].includes(argv[2])) printVersion();
else runProgram();

/** The text of a file of the package; an executable contains it. */
function packageText(path) {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(__dirname, '..', path), 'utf8');
}

function printVersion() {
  try {
    writeSync(1, packageText('dist/version.txt'));
  } catch (error) {
    // A reader that went away is not a failure, as in the program; for all else that says what it is.
    if (!['EPIPE', 'EOF'].includes(error.code)) runProgram();
  }
}

function runProgram() {
  const { HOME: home = '', LOCALAPPDATA: win32, XDG_CACHE_HOME: chosen } = env;
  const own = { win32, darwin: join(home, 'Library', 'Caches') }[platform];
  const cache = [chosen, own, join(home, '.cache')].find((path) => path && isAbsolute(path));
  // Node 22.1 and later keep there what V8 compiled.
  if (cache) require('node:module').enableCompileCache?.(join(cache, 'authcli'));
  try {
    require('../dist/main.cjs').runProcess(packageText);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    writeSync(2, 'error: authcli is not built yet.\n  Run `npm ci` in its folder.\n');
    process.exitCode = 70;
  }
}
