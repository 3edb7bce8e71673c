import { vrpFormat } from "#src/payments/formats/vrp.ts";
import { creditorNameLength, domesticVrp } from "#src/standard/pisp-v4.0/domestic-vrp.ts";
import { judgedClosed, judgedClosedAsInV3 } from "#src/standard/pisp-v4.0/judgement.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { shownStatuses } from "#src/standard/shared/payments/statuses.ts";
import { references } from "#src/standard/shared/v4/remittance-information.ts";
import { consentStanding, orderStanding, renderDetail } from "./render.ts";
import { rewordV3 } from "./reword-v3.ts";

/** Variable recurring payments in v4.0. Consents of v3.1 can be read and used on it. */
export const domesticVrpV40 = vrpFormat({
  version: pispV40,
  bodies: domesticVrp,
  payloadVersions: ["4.0", "4.0.0", "4.0.1"],
  judgedBy: judgedClosed,
  statuses: shownStatuses.vrp,
  earlier: {
    "pisp-v3.1": {
      reword: (body) => rewordV3(body, { creditorNameLength }),
      judgedBy: judgedClosedAsInV3,
    },
  },
  references,
  consentStanding,
  orderStanding,
  refund: (account) => ({ Account: account }),
  renderDetail,
});
