/** Values that one request leaves for the next one, which takes them. */
export type Handover<Value> = {
  give(key: string, value: Value): void;
  /** The value of a key, once; undefined if there is none or it is too old. */
  take(key: string): Value | undefined;
};

/** Limits of a handover. */
export type HandoverLimits = {
  /** The age up to which a value can be taken. */
  milliseconds: number;
  /** The maximum number of values. When there are more, the oldest one is dropped. */
  values: number;
  /** The time in milliseconds; only differences count. */
  clock?: () => number;
};

/** Makes a handover between requests of this process. */
export function createHandover<Value>({
  milliseconds,
  values,
  clock = () => performance.now(),
}: HandoverLimits): Handover<Value> {
  const given = new Map<string, { value: Value; until: number }>();
  return {
    give(key, value) {
      given.delete(key);
      if (given.size >= values) {
        for (const oldest of given.keys()) {
          given.delete(oldest);
          break;
        }
      }
      given.set(key, { value, until: clock() + milliseconds });
    },
    take(key) {
      const found = given.get(key);
      given.delete(key);
      return found && found.until > clock() ? found.value : undefined;
    },
  };
}
