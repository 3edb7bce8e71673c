import type { PlantedFault } from "./planted-fault.ts";

/** Faults in orders, keys and limits. */
export const orderFaults: readonly PlantedFault[] = [
  {
    name: "the consent of a limit is read without a lock",
    patches: [{ function: "lock_consents", find: " for no key update", replace: "" }],
    rules: { load: "no period's payments exceed its limit" },
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
    rules: {
      load: "a payment is at most its consent's maximum",
      simulation: "a payment is at most its consent's maximum",
    },
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
    rules: {
      load: "a refusal for a limit is due",
      simulation: "a refusal for a limit is due",
    },
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
    rules: {
      load: "an order that is sent again is answered again",
      simulation: "an order that is sent again is answered again",
    },
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
    rules: {
      load: "a consent to one payment has one order",
      simulation: "a consent to one payment has one order",
    },
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
    rules: {
      load: "a payment is accepted on a day of its consent",
      simulation: "a payment is accepted on a day of its consent",
    },
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
        find: "if (!usable.includes(status)) {",
        replace: "if (usable.length === 0) {",
      },
      {
        function: "take_limits",
        find: "= any(asked.usable_in)) is not true",
        replace: "= any(asked.usable_in)) is null",
      },
    ],
    rules: {
      load: "nothing is ordered after a revocation",
      simulation: "nothing is ordered after a revocation",
    },
  },
  {
    name: "an order may differ from what its customer approved",
    patches: [
      {
        file: "src/payments/shapes/order-steps.ts",
        find: "refuseDifference(firstDifferenceAt(format.repeated, bodyOn(format, consent), body));",
        replace: "",
      },
    ],
    rules: { simulation: "an order to pay once is about its consent's amount" },
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
    rules: {
      load: "no period's payments exceed its limit",
      simulation: "no period's payments exceed its limit",
    },
  },
  {
    name: "orders that share a statement do not count each other towards a limit",
    patches: [
      {
        function: "take_limits",
        find: "where t.consent_id = asked.consent_id and t.day",
        replace: "where t.consent_id is null and t.day",
      },
    ],
    rules: { simulation: "no period's payments exceed its limit" },
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
    rules: {
      load: "an order is kept as it was sent",
      simulation: "an order is kept as it was sent",
    },
  },
  {
    name: "a late rejection gives its amount back on its own day",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: "o.created_at, o.amount_minor, o.status,`",
        replace: "o.status_updated_at as created_at, o.amount_minor, o.status,`",
      },
    ],
    rules: { simulation: "no period's payments exceed its limit" },
  },
  {
    name: "an idempotency key is forgotten after an hour",
    patches: [
      {
        file: "src/payments/request/idempotency-key.ts",
        find: "interval '24 hours'",
        replace: "interval '1 hour'",
      },
    ],
    rules: { simulation: "a key stands for one order" },
  },
  {
    name: "an order is acknowledged although its statement failed",
    patches: [
      {
        file: "src/payments/order/create-order.ts",
        find: "    throw error;",
        replace: "    return orders.map(() => ({ isCreated: true, exceeded: [] }));",
      },
    ],
    rules: { simulation: "an acknowledged order is kept" },
  },
  {
    name: "an order leaves its consent open",
    patches: [
      {
        file: "src/consents/states.ts",
        find: 'AUTH: { consume: "COND" },',
        replace: 'AUTH: { consume: "AUTH" },',
      },
    ],
    rules: { simulation: "an order uses up a consent to one payment" },
  },
  {
    name: "an order must repeat all of its consent",
    patches: [
      {
        file: "src/payments/shapes/order-steps.ts",
        find: "firstDifferenceAt(format.repeated, bodyOn",
        replace: 'firstDifferenceAt(["Data"], bodyOn',
      },
    ],
    rules: { simulation: "the first order of an approved consent is accepted" },
  },
  {
    name: "any key of a client finds its order",
    patches: [
      {
        file: "src/payments/request/idempotency-key.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
        find: "operation = ${use.operation} and key = ${use.key}",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
        replace: "operation = ${use.operation}",
      },
    ],
    rules: { simulation: "an order has one key" },
  },
  {
    name: "a rejected order can no longer be read",
    patches: [
      {
        file: "src/payments/order/payment-order.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
        find: "where o.order_id = ${orderId}`,",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
        replace: "where o.order_id = ${orderId} and o.status <> 'RJCT'`,",
      },
    ],
    rules: { simulation: "an acknowledged order can be read" },
  },
];
