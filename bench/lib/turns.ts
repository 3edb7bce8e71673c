/**
 * Measures several ways in turns, so that what slows the machine for a while slows all of them.
 * After two rounds for each way, every way has been at each position, and has followed each other
 * way, equally often. Unless `isCold`, an unmeasured round comes first, as a warm-up. Returns the
 * results of each way, by round.
 */
export async function inTurns<Way, Result>(
  ways: readonly Way[],
  rounds: number,
  measure: (way: Way) => Promise<Result>,
  { isCold = false } = {},
): Promise<Map<Way, Result[]>> {
  if (!isCold) for (const way of ways) await measure(way);
  const results = new Map<Way, Result[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const way of sequenceOf(ways, round)) results.get(way)?.push(await measure(way));
  }
  return results;
}

/**
 * Returns the ways in the sequence of a round: 0, 1, last, 2, last but one and so on (Williams's
 * design), shifted by one in every second round, and reversed in the rounds between.
 */
function sequenceOf<Way>(ways: readonly Way[], round: number): Way[] {
  const count = ways.length;
  const shift = Math.floor(round / 2);
  const sequence = ways.flatMap((_, position) => {
    const step = position % 2 ? (position + 1) / 2 : count - position / 2;
    return ways.slice((step + shift) % count).slice(0, 1);
  });
  return round % 2 ? sequence.reverse() : sequence;
}
