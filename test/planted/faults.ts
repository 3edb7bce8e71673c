// Faults that are planted one at a time in a copy of the source. Each is a text that is replaced,
// and the rule of the model that must find it. A text that no longer occurs once is a finding too.

/** A place in the source, and the text that takes the place of another. */
export type Patch = { file: string; find: string; replace: string };

/** A function of the database, and the text that takes the place of another. */
export type FunctionPatch = { function: string; find: string; replace: string };

/** A fault: where it is planted, and who must find it. */
export type PlantedFault = {
  name: string;
  /** In files of the source, in functions of the database, or by statements. */
  patches: readonly (Patch | FunctionPatch | { statement: string })[];
  rule: string;
};

/** The faults. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "the consent of a limit is read without a lock",
    patches: [{ function: "lock_consents", find: " for no key update", replace: "" }],
    rule: "no period's payments exceed its limit",
  },
  {
    name: "the maximum of a single payment is not checked",
    patches: [
      {
        file: "src/payments/limits/order-limits.ts",
        find: "if (asked.amountMinor <= most.amountMinor) return [];",
        replace: "return [];",
      },
    ],
    rule: "a payment is at most its consent's maximum",
  },
  {
    name: "a rejected payment still counts towards its limit",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: "givesBack ? sql`, freed as",
        replace: "false ? sql`, freed as",
      },
    ],
    rule: "a refusal for a limit is due",
  },
  {
    name: "the idempotency key is not looked up",
    patches: [
      {
        file: "src/payments/submission/order-operations.ts",
        find: "const earlier = bound && {",
        replace: "const earlier = null && bound && {",
      },
    ],
    rule: "an order that is sent again is answered again",
  },
  {
    // three safeguards hold this promise, and each alone would refuse the second order
    name: "an order does not use up its consent, and ids are drawn",
    patches: [
      {
        file: "src/consents/states.ts",
        find: 'AUTH: { consume: "COND" },',
        replace: 'AUTH: { consume: "AUTH" },',
      },
      { statement: "drop index payment_order_once" },
      {
        file: "src/payments/order/payment-order.ts",
        find: "JSON.stringify([prefix, ...partsOf(origin)])",
        replace: "JSON.stringify([prefix, ...partsOf(origin), Math.random()])",
      },
    ],
    rule: "a consent to one payment has one order",
  },
  {
    name: "reads of account data do not check the status of the consent",
    patches: [
      {
        file: "src/http/access/access.ts",
        find: "const isOpen = status !== null && activeStatuses.includes(status);",
        replace: "const isOpen = status !== null;",
      },
      {
        file: "src/accounts/reading/page-statement.ts",
        find: "and access.consent_status = any(",
        replace: "and 'not ' || access.consent_status <> all(",
      },
    ],
    rule: "nothing is read after a revocation",
  },
  {
    name: "an acknowledged event stays open",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "then 'refused' else 'accepted' end",
        replace: "then 'refused' else 'waiting' end",
      },
    ],
    rule: "a settled event does not return",
  },
  {
    name: "the collector stores every second event of a batch",
    patches: [
      {
        file: "src/events/collect-events.ts",
        find: "JSON.stringify(events)}::json",
        replace: "JSON.stringify(events.filter((_, n) => n % 2 === 0))}::json",
      },
    ],
    rule: "each status of an order that was seen has an event",
  },
];
