const turnMs = 150;

/**
 * Acts after that many turns of a short timer, in milliseconds of a machine that isn't busy. What came
 * while a process was held up is read before the next turn, which a time limit would not wait for.
 * Returns what cancels it.
 */
export function afterTurns(milliseconds: number, act: () => void): () => void {
  let left = milliseconds / turnMs;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    act();
  }, turnMs);
  timer.unref();
  return () => clearInterval(timer);
}
