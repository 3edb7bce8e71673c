import type { Part } from "#src/lib/unavailable.ts";

const noAnswer = "One of our systems is not responding.";

/** Why a page or an interface outside the APIs cannot answer now, by the part that is out. */
export const outageTexts: Record<Part, string> = {
  database: noAnswer,
  core: noAnswer,
  login: "Too many people are logging in right now.",
  disk: noAnswer,
  signer: noAnswer,
  limit: "There were too many requests from your network.",
};
