/** A value inside a JSON value, with the way to it. */
type Place = { value: unknown; name: string; parent: Place | null };

/** Whether every text below a JSON value, and every name of a member, passes a test. */
export function everyText(value: unknown, isRight: (text: string) => boolean): boolean {
  // a stack of our own, because callers choose how deep their JSON is nested
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === "string") {
      if (!isRight(part)) return false;
    } else if (Array.isArray(part)) {
      for (const member of part) waiting.push(member);
    } else if (typeof part === "object" && part !== null) {
      for (const name in part) {
        if (!isRight(name)) return false;
        waiting.push((part as Record<string, unknown>)[name]);
      }
    }
  }
  return true;
}

/**
 * Yields the path of each text below a JSON value that does not pass a test, in their order. The
 * path of the value itself is empty. With `names`, an object with a wrong name is yielded too.
 * Paths are made of what is wrong only: making one for each value costs more than the test.
 */
export function* wrongTexts(
  value: unknown,
  isRight: (text: string) => boolean,
  { names }: { names: boolean },
): Generator<string> {
  const waiting: Place[] = [{ value, name: "", parent: null }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { value: part } = place;
    if (typeof part === "string" && !isRight(part)) yield pathOf(place);
    if (typeof part !== "object" || part === null) continue;
    const isList = Array.isArray(part);
    const entries = Object.entries(part);
    if (names && !entries.every(([name]) => isRight(name))) yield pathOf(place);
    for (const [name, member] of entries.reverse()) {
      waiting.push({ value: member, name: isList ? `[${name}]` : name, parent: place });
    }
  }
}

function pathOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place = place; at.parent; at = at.parent) names.push(at.name);
  return names.reverse().reduce((path, name) => {
    const isIndex = name.startsWith("[");
    return path === "" || isIndex ? path + name : `${path}.${name}`;
  }, "");
}
