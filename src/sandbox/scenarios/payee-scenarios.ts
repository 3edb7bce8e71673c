import type { KnownPayee } from "#src/sandbox/bank/confirm-payee.ts";

/** Payees at other banks whose names the sandbox bank can check. */
export const checkedPayees: readonly KnownPayee[] = [
  { number: "00990000000041", holder: "Amelia Jane Hartley" },
  { number: "00990000000042", holder: "Hartley & Sons Limited" },
  { number: "00990000000043", holder: "Ben and Chloe Whitfield" },
  { number: "00990000000044", holder: null },
];
