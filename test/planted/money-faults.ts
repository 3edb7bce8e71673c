import type { PlantedFault } from "./planted-fault.ts";

/** Faults in the execution of payments, and in the core. */
export const moneyFaults: readonly PlantedFault[] = [
  {
    name: "the hold of a rejected payment is not released",
    patches: [
      { function: "bank_move", find: "delete from hold where hold_id = any(live);", replace: "" },
    ],
    rules: {
      load: "an ended order holds no money",
      simulation: "an ended order holds no money",
    },
  },
  {
    name: "a repeated call of the core has another id",
    patches: [
      {
        file: "src/payments/execution/batch.ts",
        find: "const plain = group.map(({ instruction }) => instruction);",
        replace: `const plain = group.map(({ instruction, attempt }) =>
          step !== "ask" && attempt > 1
            ? { ...instruction, paymentId: instruction.paymentId + "-" + attempt }
            : instruction);`,
      },
    ],
    rules: { simulation: "only orders move money" },
  },
  {
    name: "a call of the core without an answer counts as refused",
    patches: [
      {
        file: "src/payments/execution/batch.ts",
        find: 'if (outcome === "refused" && step !== "ask")',
        replace: 'if (outcome !== "retry" && step !== "ask")',
      },
    ],
    rules: { simulation: "a rejected order is not paid" },
  },
  {
    name: "a lease that has run out is not taken over",
    patches: [
      {
        file: "src/payments/execution/batch.ts",
        find: "isOver(sql`lease_until`, longest)",
        replace: "sql`lease_until is null and lease_owner is null`",
      },
    ],
    rules: { simulation: "every order ends" },
  },
  {
    // three safeguards hold this promise: the lease, the payment's status and the order's
    name: "a process stores an outcome although it has lost its lease",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: `where p.payment_id = g.payment_id and p.lease_owner = \${given.owner}
        and p.attempt = g.attempt and p.status = g.before`,
        replace: "where p.payment_id = g.payment_id",
      },
      {
        file: "src/payments/execution/settle.ts",
        find: "and o.status = any(string_to_array(m.order_before, ' '))",
        replace: "and m.order_after is not null",
      },
    ],
    rules: { simulation: "the kept history only moves forward" },
  },
  {
    name: "the ids of payments are drawn",
    patches: [
      {
        file: "src/payments/order/payment-order.ts",
        find: "JSON.stringify([prefix, ...partsOf(origin)])",
        replace: "JSON.stringify([prefix, ...partsOf(origin), Math.random()])",
      },
    ],
    rules: { simulation: "what was ordered is paid once, even if the bank has forgotten it" },
  },
  {
    // three safeguards hold this promise: the state of the payment twice, and its one posting
    name: "the core pays again whenever a payment is repeated",
    patches: [
      {
        file: "src/sandbox/bank/payments.ts",
        find: '.filter(({ state }) => state === "reserved")',
        replace: '.filter(({ state }) => state === "reserved" || state === "settled")',
      },
      { function: "bank_move", find: "and b.state = leaving", replace: "" },
      { statement: "drop index posting_payment" },
    ],
    rules: { simulation: "money leaves once for a payment" },
  },
  {
    name: "the money of a returned payment stays away",
    patches: [
      {
        file: "src/sandbox/bank/payment-moves.ts",
        find: "answer, answerAt, reason: why, booking };\n}\n\n/**",
        replace: "answer, answerAt, reason: why };\n}\n\n/**",
      },
    ],
    rules: { simulation: "a rejected order is not paid" },
  },
  {
    name: "the core is told a penny less than was ordered",
    patches: [
      {
        file: "src/payments/execution/batch.ts",
        find: "amount: { amountMinor: row.amountMinor, currency",
        replace: "amount: { amountMinor: row.amountMinor - 1n, currency",
      },
    ],
    rules: { simulation: "a payment moves the amount of its order" },
  },
  {
    name: "the core settles a payment and moves no money",
    patches: [
      {
        file: "src/sandbox/bank/payment-moves.ts",
        find: 'return { ...settled, answer: "accept", booking: sent() };',
        replace: 'return { ...settled, answer: "accept" };',
      },
    ],
    rules: { simulation: "a settled order is paid" },
  },
  {
    name: "an order whose payment is made keeps its status",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: "update payment_order o set status = m.order_after,",
        replace: `update payment_order o set status = case
          when m.order_after in ('ACSC', 'ACCC', 'ACWP') then o.status else m.order_after end,`,
      },
    ],
    rules: { simulation: "a paid order says so" },
  },
  {
    name: "an order whose payment is refused keeps its status",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: "update payment_order o set status = m.order_after,",
        replace: `update payment_order o set status = case
          when m.order_after = 'RJCT' then o.status else m.order_after end,`,
      },
    ],
    rules: { simulation: "an order with nothing left to do has ended" },
  },
];
