import { exploreAnew, rightSides } from './right-sides.ts';

/*
 * The share of one process in the exploration of what is right. Arguments: how many sequences of each, the number of
 * this process, and of how many. Prints the findings of each part as a line of JSON.
 */

/** Sequences of a part: what is explored keeps its state in memory, which grows. */
const ofAPart = 500;

const [times = 0, index = 0, processes = 1] = process.argv.slice(2).map(Number);
let number = 0;
for (let from = 0; from < times; from += ofAPart) {
  for (const name of rightSides) {
    number += 1;
    if (number % processes !== index) continue;
    const found = await exploreAnew(name, `${name} ${from}`, Math.min(ofAPart, times - from));
    process.stdout.write(`${JSON.stringify({ name, ...found })}\n`);
  }
}
