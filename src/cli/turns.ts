/**
 * Lets so many at a time go on: each call waits for its turn, first come first served, and gives
 * the function that ends it.
 */
export function takeTurns(atATime: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = atATime;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}
