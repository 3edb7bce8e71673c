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

/** The edits between two segments; infinitely many if they are not near. */
function nearEdits(sent: string | undefined, known: string): number {
  if (sent === undefined) return Infinity;
  if (known.startsWith("/{")) return 0; // a parameter has any value
  if (sent.length > longestCompared) return Infinity;
  const count = edits(sent, known);
  return count <= mostEdits(sent) ? count : Infinity;
}

/** The number of letters to insert, delete or replace (Levenshtein's distance). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
