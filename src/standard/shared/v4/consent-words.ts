import type { ConsentStatus } from "#src/standard/api-version.ts";

/** The words of v4 for the statuses of consents, which are ours. */
export const v4ConsentWords: Readonly<Record<ConsentStatus, string>> = {
  AWUP: "AWUP",
  AWAU: "AWAU",
  AUTH: "AUTH",
  RJCT: "RJCT",
  COND: "COND",
  CANC: "CANC",
  EXPD: "EXPD",
};
