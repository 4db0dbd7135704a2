#!/usr/bin/env node
'use strict';

// Help and version are written before anything is loaded, from texts that the build made: a start
// that loads the program costs up to twice what Node itself does. The loader stands here as well,
// since to find and read another file takes half a millisecond.
const { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } = require('node:fs');
const { join, sep } = require('node:path');

const dist = join(__dirname, '..', 'dist');
/** Where compiled code is, as files of the same names. */
const compiledFolder = [dist, 'compiled', `${process.version}-${process.arch}`].join(sep);
const modules = new Map();
const scripts = new Map();

/** Room for the two lengths; V8 copies code that doesn't begin at a multiple of eight. */
const lengthsEnd = 32;

/**
 * Every file is read into the same memory, which V8 takes what it needs from before the next: fresh
 * pages cost as much as reading them does, and `readFileSync` asks for the size of each.
 */
let memory;

if (require.main === module) run(process.argv.slice(2));
else module.exports = { load, scripts, joined, compiledFolder }; // for the build

function run(argv) {
  const text = readyText(argv);
  if (text === undefined) start();
  else print(text);
}

/** The text that these words ask for; undefined where the program has to look. */
function readyText(argv) {
  const file = fileOf(argv);
  if (file === undefined) return undefined;
  const onTerminal = isTerminal();
  if (onTerminal && isOtherScreen()) return undefined;
  try {
    const text = readFileSync(join(dist, file), 'utf8'); // faster than its bytes
    return isColoured(onTerminal) ? withBoldHeadings(text) : text;
  } catch {
    return undefined; // no such help: the program says what there is
  }
}

function isTerminal() {
  try {
    const standardOutput = fstatSync(1); // asking node:tty takes 2 ms
    const isDevNull = standardOutput.rdev === 259; // Linux: major 1, minor 3
    if (isDevNull || !standardOutput.isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.stdout.isTTY === true;
}

/** A terminal on which the texts don't fit as they are: narrower than they are, or without their signs. */
function isOtherScreen() {
  const hasSigns = process.platform !== 'win32' && process.env.TERM !== 'linux';
  return process.stdout.columns < 100 || !hasSigns;
}

/** What src/cli/style.ts decides by. */
function isColoured(onTerminal) {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return onTerminal && TERM !== 'dumb';
}

/** What src/cli/help.ts makes bold. */
function withBoldHeadings(text) {
  return text.replace(/(?<=\n\n)[A-Z][^\n]*:(?=\n)/g, (line) => `\x1b[1m${line}\x1b[22m`);
}

function fileOf(argv) {
  const last = argv.at(-1);
  if (argv.length === 0) return 'help.txt';
  if (argv.length === 1 && (last === '--version' || last === '-V')) return 'version.txt';
  if (argv[0] === 'help') return helpFile(argv.slice(1));
  return last === '--help' || last === '-h' ? helpFile(argv.slice(0, -1)) : undefined;
}

function helpFile(words) {
  return words.every((word) => /^[a-z][a-z0-9-]*$/.test(word))
    ? `${join('help', ...words)}.txt`
    : undefined;
}

/** Exit statuses as in the program: a reader that went away is no failure, a full disk is. */
function print(text) {
  endAtOnce();
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(rest);
    else process.exitCode = error.code === 'EPIPE' || error.code === 'EOF' ? 0 : 4;
  }
}

/** When nothing is left to do, Node would take its heap apart, which costs 1 to 2 ms. */
function endAtOnce() {
  process.on('exit', () => process.exit());
}

async function start() {
  try {
    process.exitCode = await load('main.cjs').runProcess();
    endAtOnce(); // after what the program has for its end
  } catch (error) {
    process.stderr.write(
      ['MODULE_NOT_FOUND', 'ENOENT'].includes(error.code)
        ? 'error: authcli is not built yet.\n  Run `npm ci`, or `npm run build`, in its folder.\n'
        : `error: authcli can't be started: ${error.message}\n`,
    );
    process.exitCode = 70;
  }
}

/*
 * The files that the program is in are functions of what a CommonJS file has. Node's own require would
 * look for links and packages at each, and compile it anew; with the code that the build compiled a
 * start takes a quarter to a third less. That code is for one release of Node and one set of its
 * flags: V8 refuses it for any other, and compiles as always.
 */

/** The exports of a file of dist/, which is loaded once. */
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const loaded = { exports: {} };
  modules.set(name, loaded);
  bodyOf(name)(loaded.exports, requireFor, loaded, dist);
  return loaded.exports;
}

function bodyOf(name) {
  const { Script } = require('node:vm');
  const filename = dist + sep + name; // to join two dozen of paths takes half a millisecond
  const { text, code } = readCompiled(name) ?? { text: readFileSync(filename, 'utf8') };
  const script = new Script(text, { filename, cachedData: code });
  scripts.set(name, script);
  return script.runInThisContext();
}

function requireFor(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

/** Text and compiled code of a file in one: the lengths of both, the code, the text. */
function joined(text, code) {
  const lengths = `${code.length} ${text.length} `.padEnd(lengthsEnd);
  return Buffer.concat([Buffer.from(lengths), code, Buffer.from(text, 'latin1')]);
}

/** None where it was installed from a package, or is run by another Node than built it. */
function readCompiled(name) {
  const end = readWhole(compiledFolder + sep + name);
  const [codeLength, textLength] = memory.toString('latin1', 0, lengthsEnd).split(' ').map(Number);
  const textAt = lengthsEnd + codeLength;
  if (end === 0 || textAt + textLength !== end) return undefined;
  // esbuild writes ASCII, which needs no decoding.
  return {
    text: memory.toString('latin1', textAt, end),
    code: memory.subarray(lengthsEnd, textAt),
  };
}

/** How many bytes of the file were read; none where there is no such file, or too large a one. */
function readWhole(file) {
  memory ??= Buffer.allocUnsafeSlow(1 << 20);
  let opened;
  try {
    opened = openSync(file, 'r');
    const length = readSync(opened, memory, 0, memory.length, 0);
    return length === memory.length ? 0 : length;
  } catch {
    return 0;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
