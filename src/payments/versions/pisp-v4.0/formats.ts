import type { Format } from "#src/payments/formats/format.ts";
import { initiationFormats } from "#src/payments/formats/initiation-format.ts";
import { inInitiation, memberPaths as shared } from "#src/payments/formats/member-paths.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { valueAt } from "#src/payments/request/read-request.ts";
import { judgedBy } from "#src/standard/pisp-v4.0/judgement.ts";
import { paymentDetailsResponse } from "#src/standard/pisp-v4.0/payment-bodies.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { fundsConfirmationResponse } from "#src/standard/shared/payments/funds-confirmation.ts";
import { references } from "#src/standard/shared/v4/remittance-information.ts";
import { frequencyMembers, offeredCodes, readFrequency } from "./frequency.ts";
import { readMandate, readRemittance, saidPaths } from "./mandate.ts";
import { consentStanding, orderStanding, renderDetail } from "./render.ts";
import { shownFromV3 } from "./reword-v3.ts";

const frequency = "MandateRelatedInformation.Frequency";

const schedule = inInitiation({
  executionDate: "MandateRelatedInformation.FirstPaymentDateTime",
  recurringDate: "MandateRelatedInformation.RecurringPaymentDateTime",
  finalDate: "MandateRelatedInformation.FinalPaymentDateTime",
  numberOfPayments: "NumberOfPayments",
  "frequency.type": `${frequency}.${frequencyMembers.type}`,
  "frequency.perPeriod": `${frequency}.${frequencyMembers.perPeriod}`,
  "frequency.pointInTime": `${frequency}.${frequencyMembers.pointInTime}`,
});

/** The paths of a request's members in v4.0. */
export const memberPaths = {
  ...shared,
  domesticStandingOrder: { ...shared.domesticStandingOrder, ...schedule },
  internationalStandingOrder: { ...shared.internationalStandingOrder, ...schedule },
} as const satisfies Record<string, MemberPaths>;

const inV40 = initiationFormats({
  version: pispV40,
  schemas: { details: paymentDetailsResponse, funds: fundsConfirmationResponse },
  judgedBy,
  words: { "Frequency.Type": `one of ${offeredCodes.join(", ")}` },
  references,
  schedule: {
    otherPaths: saidPaths,
    read: (initiation, paid) => ({
      frequency: readFrequency(valueAt(initiation, frequency)),
      mandate: readMandate(initiation),
      remittance: readRemittance(initiation, paid),
    }),
  },
  consentStanding,
  orderStanding,
  renderDetail,
});

/** Makes a kind's format in v4.0. Kinds differ only in schemas, members and statuses. */
export const formatOfV4 = (kind: Omit<Parameters<typeof inV40>[0], "earlier">): Format =>
  inV40({ ...kind, earlier: { "pisp-v3.1": shownFromV3 } });
