#!/usr/bin/env node
'use strict';
// Help and version are texts that the build made: they are written before anything else is loaded.
const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { getAsset, isSea } = require('node:sea');
const { env, platform } = process;
const help = readyText(process.argv.slice(2));
if (help === undefined) runProgram();
else print(help);

/** The text that these words ask for; undefined where the program has to decide. */
function readyText(words) {
  const isVersion = words.length === 1 && ['--version', '-V'].includes(words[0]);
  const isHelp = words.length === 0 || words[0] === 'help' || /^(--help|-h)$/.test(words.at(-1));
  const path = words[0] === 'help' ? words.slice(1) : words.slice(0, -1);
  if (!isVersion && !(isHelp && path.every((word) => /^[a-z][a-z0-9-]*$/.test(word)))) return;
  try {
    const name = isVersion ? 'version' : ['help', ...path].join('/');
    const text = packageText(`dist/${name}.txt`);
    const isTerminal = fstatSync(1).isCharacterDevice() && process.stdout.isTTY;
    const hasSigns = platform !== 'win32' && env.TERM !== 'linux';
    if (isTerminal && (process.stdout.columns < 100 || !hasSigns)) return;
    const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env; // as terminal/style.ts
    if (no || (force ? /^(0|false)$/.test(force) : !isTerminal || term === 'dumb')) return text;
    return text.replace(/(?<=\n\n)[A-Z][^\n]*:(?=\n)/g, (line) => `\x1b[1m${line}\x1b[22m`);
  } catch {} // not a command: the program says what there is
}

/** The text of a file of the package; an executable contains it. */
function packageText(path) {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(__dirname, '..', path), 'utf8');
}

/** A reader that went away is not a failure, as in the program. */
function print(text) {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(rest);
    else if (!['EPIPE', 'EOF'].includes(error.code)) runProgram(); // it fails too, and says so
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
