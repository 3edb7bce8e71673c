import type { PlantedFault } from "./planted-fault.ts";

/** Faults in consents, tokens and what they open. */
export const accessFaults: readonly PlantedFault[] = [
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
    rules: {
      load: "nothing is read after a revocation",
      simulation: "nothing is read after a revocation",
    },
  },
  {
    name: "a process remembers that a consent is open",
    patches: [
      {
        file: "src/http/access/access.ts",
        find: "const isOpen = status !== null && activeStatuses.includes(status);",
        replace: `const isOpen = remembered.has(String(consent_id)) ||
          (status !== null && activeStatuses.includes(status));
        if (isOpen) remembered.add(String(consent_id));`,
      },
      {
        file: "src/http/access/access.ts",
        find: "function checkConsent(",
        replace: "const remembered = new Set<string>();\nfunction checkConsent(",
      },
      {
        file: "src/accounts/reading/page-statement.ts",
        find: "and access.consent_status = any(",
        replace: "and 'not ' || access.consent_status <> all(",
      },
    ],
    rules: { simulation: "nothing is read after a revocation" },
  },
  {
    name: "the end of a consent counts once it has been noted",
    patches: [
      {
        file: "src/http/access/access.ts",
        find: "(isOpen && end !== null && end <= time)",
        replace: "(isOpen && end === time)",
      },
      {
        file: "src/auth/provider/sql-adapter.ts",
        find: 'return end ? Math.floor(end.since(now).total("seconds")) : 0;',
        replace: 'return end ? Math.max(600, end.since(now).total("seconds")) : 0;',
      },
    ],
    rules: { simulation: "nothing is read after the end of its consent" },
  },
  {
    name: "a token can be refreshed after its consent was revoked",
    patches: [
      {
        file: "src/auth/provider/provider-configuration.ts",
        find: "if (!consent || !activeStatuses.includes(consent.status)) return false;",
        replace: "if (!consent) return false;",
      },
    ],
    rules: { simulation: "no token is issued after a revocation" },
  },
  {
    name: "a token outlives its end",
    patches: [
      {
        file: "src/http/access/access.ts",
        find: "if (facts.token_expires_at <= time) throw expired",
        replace: "if (facts.token_expires_at <= 0) throw expired",
      },
    ],
    rules: { simulation: "a token opens nothing after its time" },
  },
  {
    name: "a customer can approve what they have declined",
    patches: [
      {
        file: "src/consents/states.ts",
        find: `AUTH: { consume: "COND" },`,
        replace: `RJCT: { authorise: "AUTH" }, AUTH: { consume: "COND" },`,
      },
      {
        file: "src/consents/states.ts",
        find: `CANC: { authorise: "AUTH", expire: "EXPD" },`,
        replace: `RJCT: { authorise: "AUTH" }, CANC: { authorise: "AUTH", expire: "EXPD" },`,
      },
    ],
    rules: { simulation: "a declined consent stays declined" },
  },
  {
    name: "a consent that was used can be approved again",
    patches: [
      {
        file: "src/consents/states.ts",
        find: `AUTH: { consume: "COND" },`,
        replace: `COND: { authorise: "AUTH" }, AUTH: { consume: "COND" },`,
      },
    ],
    rules: { simulation: "the status of a consent only moves forward" },
  },
  {
    name: "a code can be exchanged again",
    patches: [
      {
        file: "src/auth/provider/undelivered-tokens.ts",
        find: "and consumed_at is null",
        replace: "",
      },
      {
        file: "src/auth/provider/sql-adapter.ts",
        find: "...(consumed === null ? {} : { consumed })",
        replace: "",
      },
    ],
    rules: { simulation: "a code is exchanged once" },
  },
  {
    name: "a token ends half a minute early",
    patches: [
      {
        file: "src/http/access/access.ts",
        find: "if (facts.token_expires_at <= time) throw expired",
        replace: "if (facts.token_expires_at <= time + 30_000) throw expired",
      },
    ],
    rules: { simulation: "a token works until its end" },
  },
  {
    name: "a consent that was declined counts as used",
    patches: [
      {
        file: "src/consents/states.ts",
        find: 'AWAU: { authorise: "AUTH", reject: "RJCT" },\n  AUTH: {',
        replace: 'AWAU: { authorise: "AUTH", reject: "COND" },\n  AUTH: {',
      },
    ],
    rules: { simulation: "only an order uses up a consent" },
  },
];
