import { connectionsPart } from "./connections.ts";
import { diskFullPart } from "./disk-full.ts";
import { failoverPart } from "./failover.ts";
import { fuzzPart } from "./fuzz.ts";
import { killsPart } from "./kills.ts";
import type { Part } from "./part.ts";

/** The parts of the soak, in the order in which they are run. */
export const parts: readonly Part[] = [
  fuzzPart,
  connectionsPart,
  killsPart,
  failoverPart,
  diskFullPart,
];
