import type { AssessedOrder } from "#src/bank/assessment.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { requestOf } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { reason } from "#src/sandbox/bank/reasons.ts";
import { provokedScenario, type Scenario } from "./scenarios.ts";

type Assessments = Required<Pick<Bank, "assess" | "assessOrder">>;

/** Makes the sandbox bank decide on consents and orders as the triggers in them ask for. */
export const createAssessments = (clock: Clock): Assessments => ({
  async assess({ kind, accountIds, hasSteppedUp, sent }) {
    const [debtorAccountId = ""] = accountIds;
    const { apiVersion, consent } = sent;
    const asked = scenarioOf({ kind, debtorAccountId, sent: { apiVersion, consent, order: null } });
    if (asked?.beforehand !== "steps up" || hasSteppedUp) return { result: "allow" };
    const customerText = "This payment is unusual, so we need to be sure that it is from you.";
    return { result: "step up", customerText };
  },

  async assessOrder(order) {
    switch (scenarioOf(order)?.beforehand) {
      case "refuses":
        return { result: "refuse", reason: reason("AM14") };
      case "waits a day": {
        const until = clock.now().add({ hours: 24 });
        return { result: "later", until, reason: { code: "U042", text: "Not today." } };
      }
    }
    return { result: "allow" };
  },
});

/** The scenario that a consent or an order asks for; null if it is not about payments either. */
function scenarioOf({
  kind: id,
  debtorAccountId,
  sent: { apiVersion, consent, order },
}: Pick<AssessedOrder, "kind" | "debtorAccountId" | "sent">): Scenario | null {
  const kind = paymentKinds.find((one) => one.id === id);
  if (!kind) return null;
  // what an order within limits says itself
  const body = order ? { ...consent, Data: { ...consent.Data, ...order.Data } } : consent;
  const { creditor, amount, reference, international } = requestOf(kind, { apiVersion, body });
  return provokedScenario({
    creditor: { identification: creditor?.identification ?? "" },
    amount: amount?.money ?? null,
    reference,
    international,
    debtorAccountId,
  });
}
