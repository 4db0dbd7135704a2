// Signs users in on request, right or with a mistake that people make. Reads orders from its input, a line
// of JSON each, and answers each with a line: {"id", "app", "mistake", "input"}, where "app" is the
// application that makes the mistake, which keeps its state from one sign-in to the next.
import { createInterface } from 'node:readline';
import { codes, passcodes, who } from './decisions.mjs';
import { output, requests, state } from './handling.mjs';
import { outages, undecryptable } from './responses.mjs';
import { SignIn } from './right.mjs';

const decisions = [codes, passcodes, undecryptable, who, outages, state, requests, output];
const mistakes = Object.assign({ none: {} }, ...decisions);
const apps = new Map();

function applicationOf({ app, mistake }) {
  if (!apps.has(app)) apps.set(app, Object.assign(new SignIn(), mistakes[mistake]));
  return apps.get(app);
}

createInterface(process.stdin).on('line', async (line) => {
  const order = JSON.parse(line);
  let shown = '';
  const print = (text) => {
    shown += `${text}\n`;
  };
  let ok = true;
  try {
    await applicationOf(order).signIn({ ...order.input, print });
  } catch (error) {
    ok = false;
    print(`refused: ${error.message}`);
  }
  process.stdout.write(`${JSON.stringify({ id: order.id, ok, shown })}\n`);
});
process.on('unhandledRejection', () => {});
