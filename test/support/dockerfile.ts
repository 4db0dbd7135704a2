import { readFileSync } from 'node:fs';

/** The instructions of each stage of the Dockerfile, in order. */
export const stages: readonly (readonly string[])[] = readFileSync('Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .join('\n')
  .split(/\n(?=FROM )/)
  .map((stage) => stage.split('\n'));

export interface Copy {
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** What the COPY instructions among these copy. */
export function copies(instructions: readonly string[]): readonly Copy[] {
  return instructions.flatMap((line) => {
    const found = /^COPY (?:--from=(\S+) )?(.*) (\S+)$/.exec(line);
    if (found === null) return [];
    return [{ from: found[1], sources: (found[2] ?? '').split(' '), target: found[3] ?? '' }];
  });
}

/** What follows the one instruction of that name. */
export function instruction(stage: readonly string[] = [], name: string): string {
  const found = stage.filter((line) => line.startsWith(`${name} `));
  if (found.length !== 1) throw new Error(`${found.length} times ${name}`);
  return found[0]?.slice(name.length + 1) ?? '';
}
