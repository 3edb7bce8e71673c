const mostEdits = (text: string): number => Math.min(4, 1 + Math.floor(text.length / 6));
const mostNamed = 3;
const longestCompared = 60;

/**
 * The paths (or names) whose first segment differs from that of a path by few letters. Those in
 * which every segment does come first, and then the nearest.
 */
export function nearest(path: string, paths: readonly string[]): string[] {
  const sent = segmentsOf(path);
  return paths
    .map((candidate) => ({ candidate, ...compare(sent, segmentsOf(candidate)) }))
    .filter(({ edits: count }) => count < Infinity)
    .sort(
      (a, b) =>
        Number(b.isWhole) - Number(a.isWhole) ||
        a.edits - b.edits ||
        a.candidate.length - b.candidate.length,
    )
    .slice(0, mostNamed)
    .map(({ candidate }) => candidate);
}

// each with its slash; a name of a field is one segment
const segmentsOf = (path: string): string[] => path.split(/(?=\/)/);

/** Compares whole paths if all their segments are near; if not, the first segments. */
function compare(sent: readonly string[], known: readonly string[]) {
  const [first = Infinity, ...others] = known.map((segment, at) => nearEdits(sent[at], segment));
  const all = others.reduce((sum, count) => sum + count, first);
  const isWhole = sent.length === known.length && all < Infinity;
  return { isWhole, edits: isWhole ? all : first };
}

/**
 * The edits between two segments, in capitals or not; infinitely many if they are not near. It
 * compares nothing whose length alone shows that it is not, so a long text costs nothing.
 */
export function nearEdits(sent: string | undefined, known: string): number {
  if (sent === undefined) return Infinity;
  if (known.startsWith("/{")) return 0; // a parameter has any value
  const most = mostEdits(sent);
  if (sent.length > longestCompared || Math.abs(sent.length - known.length) > most) return Infinity;
  const count = edits(sent.toLowerCase(), known.toLowerCase());
  return count <= most ? count : Infinity;
}

/** The number of letters to insert, delete or replace, or of neighbours to swap. */
function edits(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
