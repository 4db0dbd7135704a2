/** A part of the program as esbuild cut it out. */
export interface Chunk {
  readonly name: string;
  readonly bytes: number;
  readonly exports: readonly string[];
  /** The chunks that it loads with itself. */
  readonly imports: readonly string[];
  /** Whether it is loaded by itself: the program's main file, and what that loads lazily. */
  readonly isEntry: boolean;
  /** How often it is loaded, beside the others that are loaded by themselves. */
  readonly weight: number;
}

/** Chunks that make up one file; at most one of them is an entry, and gives its name. */
export interface Group {
  readonly name: string;
  readonly chunks: readonly Chunk[];
  /** The entries that load it. */
  readonly users: ReadonlySet<Chunk>;
}

/** To find, read and wrap a file costs a start as much as scanning so many bytes more of another. */
const bytesPerFile = 8_000;

/**
 * Puts chunks together wherever that makes the starts of all entries together cheaper: whoever
 * loads both loads a file less, and whoever needs one of them alone loads the bytes of the other
 * for nothing. What the main file loads is loaded in every run, so it is one group.
 */
export function groupChunks(chunks: readonly Chunk[]): readonly Group[] {
  const entries = chunks.filter(({ isEntry }) => isEntry);
  const reach = new Map(entries.map((entry) => [entry, reachOf(entry, chunks)]));
  const main = entries.find(({ name }) => name.startsWith('main.'));
  const always = (main && reach.get(main)) ?? new Set();
  let groups: readonly Group[] = chunks
    .filter((chunk) => !always.has(chunk))
    .map((chunk) =>
      group([chunk], new Set(entries.filter((entry) => reach.get(entry)?.has(chunk)))),
    );
  for (let next = join(groups); next !== undefined; next = join(groups)) groups = next;
  return [group([...always], new Set(entries)), ...groups];
}

function group(chunks: readonly Chunk[], users: ReadonlySet<Chunk>): Group {
  const named = chunks.find(({ isEntry }) => isEntry) ?? chunks[0];
  return { name: (named?.name ?? '').replace(/\.js$/, ''), chunks, users };
}

/** The chunk and all that it loads with itself. */
function reachOf(from: Chunk, chunks: readonly Chunk[]): ReadonlySet<Chunk> {
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const reached = new Set([from]); // grows while it is gone through
  for (const { imports } of reached) {
    for (const name of imports) {
      const next = byName.get(name);
      if (next !== undefined) reached.add(next);
    }
  }
  return reached;
}

/** The groups with the two put together that gain most; undefined where none gain. */
function join(groups: readonly Group[]): readonly Group[] | undefined {
  const pairs = groups.flatMap((left, index) =>
    groups.slice(index + 1).map((right) => ({ left, right, gain: gainOf(left, right) })),
  );
  const best = pairs
    .filter(({ gain }) => gain > 0)
    .sort((one, other) => other.gain - one.gain)
    .find(({ left, right }) => canJoin(left, right, groups) && canJoin(right, left, groups));
  if (best === undefined) return undefined;
  const { left, right } = best;
  const joined = group([...left.chunks, ...right.chunks], new Set([...left.users, ...right.users]));
  return [joined, ...groups.filter((other) => other !== left && other !== right)];
}

/**
 * What all starts together gain, in bytes, when two groups become one. What is loaded by itself, when
 * it is needed, stays so: with others it would be run whenever they are, and load what it imports.
 */
function gainOf(left: Group, right: Group): number {
  const isEntry = ({ chunks }: Group) => chunks.some((chunk) => chunk.isEntry);
  if (isEntry(left) || isEntry(right)) return 0;
  const shared = weightOf([...left.users].filter((user) => right.users.has(user)));
  const lost =
    (weightOf(right.users) - shared) * bytesOf(left) +
    (weightOf(left.users) - shared) * bytesOf(right);
  return shared * bytesPerFile - lost;
}

function weightOf(users: Iterable<Chunk>): number {
  return [...users].reduce((sum, { weight }) => sum + weight, 0);
}

function bytesOf({ chunks }: Group): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0);
}

function canJoin(left: Group, right: Group, groups: readonly Group[]): boolean {
  return !isAround(left, right, groups) && !bringsMore(left, right, groups);
}

/** Whether users of `right` alone would, by `left`, have to load a third group as well. */
function bringsMore(left: Group, right: Group, groups: readonly Group[]): boolean {
  return neededBy(left, groups).some(
    (needed) =>
      needed !== left &&
      needed !== right &&
      ![...right.users].every((user) => needed.users.has(user)),
  );
}

/** Whether `from` needs a third group that needs `to`: put together, the two would need it in a circle. */
function isAround(from: Group, to: Group, groups: readonly Group[]): boolean {
  const needed = new Set(neededBy(from, groups).filter((other) => other !== to));
  for (const other of needed) {
    if (other === to) return true;
    for (const next of neededBy(other, groups)) needed.add(next);
  }
  return false;
}

function neededBy({ chunks }: Group, groups: readonly Group[]): readonly Group[] {
  const names = new Set(chunks.flatMap(({ imports }) => imports));
  return groups.filter((other) => other.chunks.some(({ name }) => names.has(name)));
}
