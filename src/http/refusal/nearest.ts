const mostEdits = (text: string): number => Math.min(4, 1 + Math.floor(text.length / 6));
const mostNamed = 3;
const longestCompared = 60;

/** The paths that differ from a path by few letters, or in their ends; the nearest first. */
export function nearest(path: string, paths: readonly string[]): string[] {
  if (path.length > longestCompared) return [];
  const first = path.split("/", 2).join("/");
  return paths
    .map((candidate) => ({ candidate, edits: edits(first, candidate.split("/", 2).join("/")) }))
    .filter(({ edits: count }) => count <= mostEdits(first))
    .sort((a, b) => a.edits - b.edits || a.candidate.length - b.candidate.length)
    .slice(0, mostNamed)
    .map(({ candidate }) => candidate);
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
