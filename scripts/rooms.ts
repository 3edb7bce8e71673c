/** A room of the source tree: its step in the order of imports. */
export type Room = { step: number };

/**
 * The rooms under src/. A file may import from lower steps and from its own room. Two rooms on one
 * step never import each other: the server passes one a function or a value of the other.
 */
export const rooms: Record<string, Room> = {
  lib: { step: 0 },
  standard: { step: 1 },
  config: { step: 2 },
  storage: { step: 2 },
  bank: { step: 3 },
  http: { step: 3 },
  pages: { step: 3 },
  "account-store": { step: 4 },
  consents: { step: 4 },
  accounts: { step: 5 },
  payments: { step: 5 },
  auth: { step: 6 },
  sandbox: { step: 6 },
  server: { step: 7 },
  cli: { step: 8 },
};

/** Files of the product that need no import to be used, as patterns, each with the reason. */
export const entryFiles: Record<string, string> = {
  "src/standard/aisp-v4\\.0/.*\\.ts": "schemas of a version that is served next",
  "src/main\\.ts": "the process",
  "src/sandbox/bank/password-worker\\.ts": "a worker thread, started from its path",
  "src/pages/assets/.*\\.js": "loaded by browsers",
};

/** A rule that some files break for now, with the reason. */
export type Exception = { files: readonly string[]; reason: string };

/** Circles of imports that are known and will go. */
export const knownCircles: readonly Exception[] = [
  {
    files: [
      "src/payments/request/checks.ts",
      "src/payments/kinds/payment-kind.ts",
      "src/payments/request/tariff.ts",
    ],
    reason: "the checks and the tariff will take a payment request instead of a kind",
  },
];
