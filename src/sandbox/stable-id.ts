import { sha256 } from "#src/lib/hash.ts";

/** Returns up to 40 letters and digits that depend only on the name. */
export const stableText = (name: string, length: number): string =>
  sha256(`aldgate sandbox ${name}`).toLowerCase().replace(/[-_]/g, "").slice(0, length);

/** Returns an opaque id that is the same in every sandbox. */
export const stableId = (prefix: string, name: string): string =>
  `${prefix}-${stableText(name, 16)}`;
