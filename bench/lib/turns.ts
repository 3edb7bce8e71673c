/**
 * Measures several ways in turns, so that what slows the machine for a while slows all of them. The
 * sequence is reversed in every second round, and the two rounds after that begin with the next
 * way: none is always the first, or always follows the same one. An unmeasured round comes first,
 * to warm up. Returns the results of each way, by round.
 */
export async function inTurns<Way, Result>(
  ways: readonly Way[],
  rounds: number,
  measure: (way: Way) => Promise<Result>,
): Promise<Map<Way, Result[]>> {
  for (const way of ways) await measure(way);
  const results = new Map<Way, Result[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const first = Math.floor(round / 2) % ways.length;
    const turned = [...ways.slice(first), ...ways.slice(0, first)];
    const order = round % 2 ? turned.reverse() : turned;
    for (const way of order) results.get(way)?.push(await measure(way));
  }
  return results;
}
