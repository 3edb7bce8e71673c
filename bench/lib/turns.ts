/**
 * Measures several ways in turns: forwards in one round and backwards in the next, so that none is
 * always the first, and what slows the machine for a while slows all of them. An unmeasured round
 * comes first, to warm up. Returns the results of each way, by round.
 */
export async function inTurns<Way, Result>(
  ways: readonly Way[],
  rounds: number,
  measure: (way: Way) => Promise<Result>,
): Promise<Map<Way, Result[]>> {
  for (const way of ways) await measure(way);
  const results = new Map<Way, Result[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 ? [...ways].reverse() : ways;
    for (const way of order) results.get(way)?.push(await measure(way));
  }
  return results;
}
