import type { Scope } from "#src/standard/api-version.ts";

/** The scope that a TPP of each role may ask for. Source: R-059. */
export const scopeOfRole = {
  AISP: "accounts",
  PISP: "payments",
  CBPII: "fundsconfirmations",
} as const satisfies Record<string, Scope>;

/** A regulated role of a TPP. */
export type TppRole = keyof typeof scopeOfRole;

/** Every role. */
export const tppRoles = Object.keys(scopeOfRole) as readonly TppRole[];
