import type { Context, Output } from './context.ts';
import { showsUnicode } from './style.ts';

/** What stands for the signs of the output on a terminal that shows ASCII alone; as wide as they are, but for the dots. */
const plainSigns: Readonly<Record<string, string>> = {
  '✓': '+',
  '✔': '+',
  '✗': 'x',
  '✖': 'x',
  '×': 'x',
  '·': '-',
  '–': '-',
  '—': '-',
  '→': '>',
  '←': '<',
  '❯': '>',
  '…': '...',
};

const signs = new RegExp(`[${Object.keys(plainSigns).join('')}]`, 'gu');

/** The frames of a progress line, which are dots of braille. */
const braille = /[\u2800-\u28ff]/gu;

/** The world with terminals that get only what they can show. Files and pipes get everything. */
export function legible(context: Context): Context {
  if (showsUnicode(context)) return context;
  return Object.create(context, {
    stdout: { value: plainOutput(context.stdout) },
    stderr: { value: plainOutput(context.stderr) },
  }) as Context;
}

function plainOutput(output: Output): Output {
  return {
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(output.isTerminal ? withPlainSigns(text) : text),
  };
}

function withPlainSigns(text: string): string {
  return text.replace(signs, (sign) => plainSigns[sign] ?? sign).replace(braille, '*');
}
