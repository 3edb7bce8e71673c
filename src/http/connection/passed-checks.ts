import type { IncomingMessage } from "node:http";

/** When a request passed each check of its list, in order; null for one that it did not need. */
type Times = (number | null)[];

const noted = new WeakMap<IncomingMessage, Times>();

/** When a request has passed its checks so far, as `performance.now()` counts, for its log. */
export function passedBy(request: IncomingMessage): Times {
  const times = noted.get(request) ?? [];
  noted.set(request, times);
  return times;
}

/**
 * Notes that a request has passed the check at a place of its list, or does not need it. The checks
 * before it that were not noted were not needed.
 */
export function notePassed(request: IncomingMessage, place: number, isNeeded = true): void {
  const times = passedBy(request);
  while (times.length <= place) times.push(null);
  if (isNeeded) times[place] ??= performance.now();
}
