import { anonymousPart } from "./anonymous.ts";
import { clusterPart } from "./cluster.ts";
import { connectionsPart } from "./connections.ts";
import { controlsPart } from "./controls.ts";
import { coresPart } from "./cores.ts";
import { datesPart } from "./dates.ts";
import { diskFullPart } from "./disk-full.ts";
import { eventsPart } from "./events.ts";
import { fuzzPart } from "./fuzz.ts";
import { failoverPart, killsPart } from "./kills.ts";
import { loadPart } from "./load.ts";
import { loginsPart } from "./logins.ts";
import { moneyPart } from "./money.ts";
import type { Part } from "./part.ts";
import { plantedPart } from "./planted.ts";
import { respondersPart } from "./responders.ts";
import { simulatePart } from "./simulate.ts";
import { stringsPart } from "./strings.ts";
import { upgradePart } from "./upgrade.ts";

/** The parts of the soak, in the order in which they run. */
export const parts: readonly Part[] = [
  fuzzPart,
  stringsPart,
  controlsPart,
  connectionsPart,
  loginsPart,
  anonymousPart,
  respondersPart,
  loadPart,
  killsPart,
  moneyPart,
  coresPart,
  eventsPart,
  failoverPart,
  clusterPart,
  diskFullPart,
  upgradePart,
  simulatePart,
  plantedPart,
  datesPart,
];
