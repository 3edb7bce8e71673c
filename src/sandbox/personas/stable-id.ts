import { sha256 } from "#src/lib/hash.ts";

/** Returns an opaque id that is the same in every sandbox. */
export const stableId = (prefix: string, name: string): string =>
  `${prefix}-${sha256(`aldgate sandbox ${name}`).toLowerCase().replace(/[-_]/g, "").slice(0, 16)}`;
