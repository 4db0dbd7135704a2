import { commands } from '../src/cli/commands/index.ts';
import { helpTopics } from '../src/cli/terminal/help-topics.ts';

const groups = commands.flatMap(({ path }) => {
  const words = path.split(' ');
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(' '));
});

/** Everything that there is help on but the program itself: commands, groups of them, topics. */
export const helpPaths: readonly string[] = [
  ...new Set([...commands.map(({ path }) => path), ...groups, ...helpTopics]),
];
