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
      { statement: "drop index payment_order_consent" },
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
  {
    name: "an order is accepted before its consent's first day",
    patches: [
      // without the check, the order would fail here
      {
        file: "src/payments/limits/order-limits.ts",
        find: 'assert(anchor <= date, "no period begins before its anchor");',
        replace: "",
      },
      {
        file: "src/payments/limits/order-limits.ts",
        find: 'validity.from !== null && standingOn(validity, today) === "too early"',
        replace: 'validity.from !== null && standingOn(validity, today) === "never"',
      },
    ],
    rule: "a payment is accepted on a day of its consent",
  },
  {
    name: "an order does not check the status of a consent to several payments",
    patches: [
      // three safeguards hold this promise: for the token, the order and the limits
      {
        file: "src/http/access/access.ts",
        find: "const isOpen = status !== null && activeStatuses.includes(status);",
        replace: "const isOpen = status !== null;",
      },
      {
        file: "src/payments/shapes/order-steps.ts",
        find: "if (!usable.includes(status)) throw",
        replace: "if (usable.length === 0) throw",
      },
      {
        function: "take_limits",
        find: "= any(asked.usable_in)) is not true",
        replace: "= any(asked.usable_in)) is null",
      },
    ],
    rule: "nothing is ordered after a revocation",
  },
  {
    name: "the sum of a period leaves out its first day",
    patches: [
      {
        function: "take_limits",
        find: "u.day between w.first and",
        replace: "u.day between w.first + 1 and",
      },
    ],
    rule: "no period's payments exceed its limit",
  },
  {
    name: "a payment is stored with a penny more than its order",
    patches: [
      {
        file: "src/payments/order/create-order.ts",
        find: "g.debtor_account_id, p.amount_minor, p.charge_minor",
        replace: "g.debtor_account_id, p.amount_minor + 1, p.charge_minor",
      },
    ],
    rule: "an order is kept as it was sent",
  },
  {
    name: "the hold of a rejected payment is not released",
    patches: [
      { function: "bank_move", find: "delete from hold where hold_id = any(live);", replace: "" },
    ],
    rule: "an ended order holds no money",
  },
  {
    name: "an event is signed again each time it is sent",
    patches: [
      {
        file: "src/events/event-set.ts",
        find: "if (event.token === null || !deps",
        replace: "if (event.token === null || event.token !== null || !deps",
      },
    ],
    rule: "an event always has the same bytes",
  },
  {
    name: "a poll returns the latest events first",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "order by e.sequence limit",
        replace: "order by e.sequence desc limit",
      },
    ],
    rule: "the events of a resource arrive in order",
  },
];
