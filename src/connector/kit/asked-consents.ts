// The consents, orders and notices of the kit's cases.
import type { AssessedConsent, AssessedOrder } from "#src/bank/assessment.ts";
import type { Notice } from "#src/bank/notice.ts";
import { newId } from "#src/lib/ids.ts";
import { publishedKindIds } from "#src/standard/kind-id.ts";
import type { Kit } from "./kit.ts";

const [accessKind, , paymentKind] = publishedKindIds;

const tpp = {
  clientId: "tpp-kit",
  organisationId: "0015800000kitAAA",
  organisationName: "Conformance kit",
  softwareId: "kit",
  softwareName: "Conformance kit",
  onBehalfOf: null,
};

const device = { ipAddress: "203.0.113.7", userAgent: "Conformance kit" };

/** A new consent to a payment from `own`. */
export async function consent(kit: Kit): Promise<AssessedConsent> {
  const { customerId } = await kit.customer(0);
  const { creditor } = await kit.payment();
  const { currency } = await kit.account("own");
  const initiation = {
    InstructionIdentification: "KIT",
    EndToEndIdentification: "KIT",
    InstructedAmount: { Amount: "0.01", Currency: currency },
    CreditorAccount: {
      SchemeName: creditor.schemeName,
      Identification: creditor.identification,
      Name: creditor.name,
    },
  };
  return {
    consentId: newId("pdc"),
    kind: paymentKind,
    customerId,
    accountIds: [kit.idOf("own")],
    isRenewal: false,
    hasSteppedUp: false,
    tpp,
    sent: {
      apiVersion: "pisp-v4.0",
      consent: { Data: { Initiation: initiation }, Risk: {} },
      devices: { consent: device },
    },
    payeeCheck: null,
  };
}

/** An order of a consent. */
export const orderOf = (
  kit: Kit,
  { consentId, kind, customerId, sent }: AssessedConsent,
): AssessedOrder => ({
  orderId: newId("pord"),
  consentId,
  kind,
  customerId,
  debtorAccountId: kit.idOf("own"),
  sent: { ...sent, order: null, devices: { consent: device, order: null } },
  use: null,
});

/** A new notice about a consent to account access. */
export async function notice(kit: Kit): Promise<Notice> {
  const { customerId } = await kit.customer(0);
  return {
    noticeId: newId("ntc"),
    position: 1n,
    at: Temporal.Now.instant(),
    occasion: "consent-given",
    by: "customer",
    interactionId: null,
    consentId: newId("aac"),
    orderId: null,
    kind: accessKind,
    status: "AUTH",
    reasons: [],
    channel: null,
    tpp,
    customerIds: [customerId],
    accountIds: [kit.idOf("own")],
    consent: { expiresAt: null, isPaused: false, hasGrant: true },
  };
}
