import { creditorNameLength, domesticVrp } from "#src/standard/pisp-v4.0/domestic-vrp.ts";
import { judgedClosed, judgedClosedAsInV3 } from "#src/standard/pisp-v4.0/judgement.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { remittanceReference } from "#src/standard/shared/v4/remittance-information.ts";
import { consentStanding, orderStanding, renderDetail } from "./pisp-v4.0-render.ts";
import { rewordV3 } from "./reword-v3.ts";
import { vrpWire } from "./vrp.ts";

/** Variable recurring payments in v4.0. Consents of v3.1 can be read and used on it. */
export const domesticVrpWire = vrpWire({
  version: pispV40,
  bodies: domesticVrp,
  payloadVersions: ["4.0", "4.0.0", "4.0.1"],
  judgedBy: judgedClosed,
  statuses: emitSets.vrp,
  earlier: {
    "pisp-v3.1": {
      reword: (body) => rewordV3(body, { creditorNameLength }),
      judgedBy: judgedClosedAsInV3,
    },
  },
  referenceIn: remittanceReference,
  consentStanding,
  orderStanding,
  refund: (account) => ({ Account: account }),
  exampleRemittance: { Unstructured: ["Sweeping"] },
  renderDetail,
});
