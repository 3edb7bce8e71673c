import { type Call, type Calls, isBefore, mayHaveHappened } from "./calls.ts";
import { Consents } from "./consents.ts";
import { groupBy, type Rule } from "./rule.ts";
import { Tokens } from "./tokens.ts";

// The model of access: what a customer has opened is open until its end, and is closed to every
// call that is sent after the answer that ended it. A call that overlaps that answer may do either.

const keyOf = ({ client, asked }: Call<"order">): string => `${client} ${asked.key}`;

function reads(calls: Calls) {
  const tokens = new Tokens(calls);
  return calls.of("readData").flatMap((read) => {
    const consentId = tokens.consentOf(read.asked.token);
    return consentId === null ? [] : [{ read, consentId }];
  });
}

/** The rules about access. */
export const accessRules: readonly Rule[] = [
  {
    claim: "no token is issued after a revocation",
    *breaches(calls) {
      const consents = new Consents(calls);
      for (const issue of calls.done("token")) {
        const { consentId } = issue.told;
        const revocation = consentId && consents.revokedBefore(consentId, issue);
        if (!consentId || !revocation) continue;
        const text = `a token was issued for ${consentId} after it was revoked`;
        yield { subject: consentId, text, calls: [revocation, issue] };
      }
    },
  },
  {
    claim: "nothing is read after a revocation",
    *breaches(calls) {
      const consents = new Consents(calls);
      for (const { read, consentId } of reads(calls)) {
        const revocation =
          read.outcome === "ok" ? consents.revokedBefore(consentId, read) : undefined;
        if (!revocation) continue;
        const text = `${read.asked.resource} was read after ${consentId} was revoked`;
        yield { subject: consentId, text, calls: [revocation, read] };
      }
    },
  },
  {
    claim: "nothing is ordered after a revocation",
    *breaches(calls) {
      const consents = new Consents(calls);
      const sent = groupBy(calls.of("order").filter(mayHaveHappened), keyOf);
      for (const order of calls.done("order")) {
        const { consentId } = order.asked;
        const revocation = consents.revokedBefore(consentId, order);
        // an order that was accepted before may be answered again
        const isRepeated = sent.get(keyOf(order))?.some((one) => !isBefore(revocation ?? one, one));
        if (!revocation || isRepeated) continue;
        const text = `${order.told.orderId} was accepted after ${consentId} was revoked`;
        yield { subject: consentId, text, calls: [revocation, order] };
      }
    },
  },
  {
    claim: "nothing is read after the end of its consent",
    *breaches(calls) {
      const { lodged } = new Consents(calls);
      for (const { read, consentId } of reads(calls)) {
        const lodging = lodged.get(consentId);
        const { ends } = lodging?.asked ?? {};
        if (read.outcome !== "ok" || !lodging || ends === undefined) continue;
        if (read.start <= Temporal.Instant.from(ends).epochMilliseconds) continue;
        const text = `${read.asked.resource} was read after ${consentId} ended at ${ends}`;
        yield { subject: consentId, text, calls: [lodging, read] };
      }
    },
  },
  {
    claim: "nothing is read before an approval",
    *breaches(calls) {
      const consents = new Consents(calls);
      for (const { read, consentId } of reads(calls)) {
        if (read.outcome !== "ok" || consents.mayBeApproved(consentId, read)) continue;
        const text = `${read.asked.resource} was read, and nobody had approved ${consentId}`;
        yield { subject: consentId, text, calls: [read] };
      }
    },
  },
];
