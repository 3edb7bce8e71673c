import type { Bank } from "#src/bank/port.ts";
import { toApproval } from "./journeys.ts";
import type { Visitor } from "./visitor.ts";

/** A core that refuses payments of £400.00. */
export const assess: NonNullable<Bank["assess"]> = async ({ sent }) => {
  if (sent.consent.Data.amount !== "£400.00") return { result: "allow" };
  const customerText = "You can pay at most £300 <a day> in this way.";
  return { result: "refuse", customerText, reason: { code: "AM14", text: "Over the limit" } };
};

/** How a journey ends that this core refuses. */
export const refused = {
  kind: "domestic-payment",
  data: { amount: "£400.00" },
  leave: (visitor: Visitor) => toApproval(visitor).then(() => visitor.approve()),
  shows: [
    "We cannot go ahead with this request",
    "at most £300 &lt;a day&gt;",
    "Nothing was paid.",
  ],
  saysNothingWasDone: true,
} as const;

/** Fills in a form wrongly until the journey ends. */
export const wrongly = async (visitor: Visitor, fields: Record<string, string>): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await visitor.submit({ ...fields, decision: "continue" });
};
