import { sha256 } from "#src/lib/hash.ts";

/** Gives an id that means nothing and is the same in every sandbox. */
export const stableId = (prefix: string, name: string): string =>
  `${prefix}-${sha256(`aldgate sandbox ${name}`).toLowerCase().replace(/[-_]/g, "").slice(0, 16)}`;
