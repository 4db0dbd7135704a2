/**
 * What differs between two ciphers in the canonical notation, part by part: "iv key-head instead of
 * prefix". A part that doesn't apply is "absent".
 *
 * @param expected the cipher that was expected
 * @param fitting the one that was found
 */
export function findDifferences(expected: string, fitting: string): string[] {
  const [before, after] = [partsOf(expected), partsOf(fitting)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map(
      (name) => `${name} ${after.get(name) ?? 'absent'} instead of ${before.get(name) ?? 'absent'}`,
    );
}

function partsOf(notation: string): ReadonlyMap<string, string> {
  const [algorithm = '', parts = ''] = notation.split('?');
  const named = new Map([['algorithm', algorithm]]);
  for (const part of parts.split('&')) {
    const [name = '', value = ''] = part.split('=');
    named.set(name, value);
  }
  return named;
}
