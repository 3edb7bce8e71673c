import { type Call, type Calls, type Done, isBefore, mayHaveHappened } from "./calls.ts";
import { groupBy, type Rule } from "./rule.ts";
import { backwardSteps, consentGraphs, type Sighting } from "./statuses.ts";

// The model of consents: a client lodges one, its customer decides about it once, and orders and
// reads need the approval.

/** What a history says about the consents. */
export class Consents {
  /** The lodging of each consent, by its id. */
  readonly lodged: ReadonlyMap<string, Done<"lodge">>;
  readonly #decisions: ReadonlyMap<string, Call<"decide">[]>;
  readonly #revocations: ReadonlyMap<string, Call<"revoke">[]>;

  constructor(calls: Calls) {
    this.lodged = new Map(calls.done("lodge").map((call) => [call.told.consentId, call]));
    const ofConsent = ({ asked }: { asked: { consentId: string } }) => asked.consentId;
    this.#decisions = groupBy(calls.of("decide").filter(mayHaveHappened), ofConsent);
    this.#revocations = groupBy(calls.of("revoke").filter(mayHaveHappened), ofConsent);
  }

  /** Returns the approvals, or the refusals, that may have happened. */
  decisions(consentId: string, approves: boolean): Call<"decide">[] {
    return (this.#decisions.get(consentId) ?? []).filter(
      ({ asked }) => asked.approves === approves,
    );
  }

  /** Whether the consent may have been approved before a call ended. */
  mayBeApproved(consentId: string, call: Call): boolean {
    return this.decisions(consentId, true).some(({ start }) => start < call.end);
  }

  /** Whether the consent was approved before a call, and nobody may have ended it by then. */
  isApproved(consentId: string, call: Call): boolean {
    const isSure = this.decisions(consentId, true).some(
      (one) => one.outcome === "ok" && isBefore(one, call),
    );
    return isSure && !this.revocations(consentId).some(({ start }) => start < call.end);
  }

  /** Returns the revocations that may have happened. */
  revocations(consentId: string): Call<"revoke">[] {
    return this.#revocations.get(consentId) ?? [];
  }

  /** Returns the revocation after which a call was sent, unless a new approval may undo it. */
  revokedBefore(consentId: string, call: Call): Call<"revoke"> | undefined {
    return this.revocations(consentId).find(
      (revocation) =>
        revocation.outcome === "ok" &&
        isBefore(revocation, call) &&
        !this.decisions(consentId, true).some(
          ({ start, end }) => end > revocation.start && start < call.end,
        ),
    );
  }
}

const isUsedUp = (status: string): boolean => status === "COND" || status === "Consumed";
const isUnused = (status: string): boolean => /^(?:AW|AUTH|Await|Authorised)/.test(status);

/** The rules about consents. */
export const consentRules: readonly Rule[] = [
  {
    claim: "an order has a consent that its own client lodged",
    *breaches(calls) {
      const { lodged } = new Consents(calls);
      for (const order of calls.done("order")) {
        const { consentId } = order.asked;
        const its = lodged.get(consentId);
        if (its && its.client === order.client && its.start < order.end) continue;
        const text = `${order.client} never lodged ${consentId}, and ordered ${order.told.orderId}`;
        yield { subject: consentId, text, calls: its ? [its, order] : [order] };
      }
    },
  },
  {
    claim: "an order follows its customer's approval",
    *breaches(calls) {
      const consents = new Consents(calls);
      for (const order of calls.done("order")) {
        const { consentId } = order.asked;
        if (!consents.lodged.has(consentId) || consents.mayBeApproved(consentId, order)) continue;
        const text = `no customer had approved ${consentId} when ${order.told.orderId} was accepted`;
        const decided = consents.decisions(consentId, true);
        yield { subject: consentId, text, calls: [...decided, order] };
      }
    },
  },
  {
    claim: "an order to pay once is about its consent's amount",
    *breaches(calls) {
      const { lodged } = new Consents(calls);
      for (const order of calls.done("order")) {
        const { consentId, amount } = order.asked;
        const its = lodged.get(consentId);
        if (its?.asked.use !== "once" || its.asked.amount === amount) continue;
        const text = `${consentId} allows ${its.asked.amount} pence, and ${amount} were ordered`;
        yield { subject: consentId, text, calls: [its, order] };
      }
    },
  },
  {
    claim: "a declined consent stays declined",
    *breaches(calls) {
      const consents = new Consents(calls);
      for (const approval of calls.done("decide").filter(({ asked }) => asked.approves)) {
        const { consentId } = approval.asked;
        const declined = consents
          .decisions(consentId, false)
          .find((one) => one.outcome === "ok" && isBefore(one, approval));
        if (!declined) continue;
        // who declines to renew an approval leaves the earlier one as it is
        if (consents.decisions(consentId, true).some(({ start }) => start < declined.end)) continue;
        const text = `${consentId} was declined, and approved afterwards`;
        yield { subject: consentId, text, calls: [declined, approval] };
      }
    },
  },
  {
    claim: "the status of a consent only moves forward",
    *breaches(calls) {
      const sightings: Sighting[] = [
        ...calls
          .done("lodge")
          .map((call) => ({ ...call.told, call, subject: call.told.consentId })),
        ...calls
          .done("readConsent")
          .map((call) => ({ subject: call.asked.consentId, status: call.told.status, call })),
      ];
      yield* backwardSteps(sightings, consentGraphs);
    },
  },
  {
    claim: "an order uses up a consent to one payment",
    *breaches(calls) {
      const { lodged } = new Consents(calls);
      const orders = groupBy(calls.done("order"), ({ asked }) => asked.consentId);
      for (const read of calls.done("readConsent")) {
        const { consentId } = read.asked;
        if (lodged.get(consentId)?.asked.use !== "once" || !isUnused(read.told.status)) continue;
        const order = orders.get(consentId)?.find((one) => isBefore(one, read));
        if (!order) continue;
        const text = `${consentId} is ${read.told.status} after its order ${order.told.orderId}`;
        yield { subject: consentId, text, calls: [order, read] };
      }
    },
  },
  {
    claim: "only an order uses up a consent",
    *breaches(calls) {
      const orders = groupBy(
        calls.of("order").filter(mayHaveHappened),
        (one) => one.asked.consentId,
      );
      for (const read of calls.done("readConsent")) {
        const { consentId } = read.asked;
        if (!isUsedUp(read.told.status)) continue;
        if (orders.get(consentId)?.some(({ start }) => start < read.end)) continue;
        const text = `${consentId} is ${read.told.status}, and nobody had ordered anything`;
        yield { subject: consentId, text, calls: [read] };
      }
    },
  },
];
