import type { Operations as AccountsV31 } from "./types/aisp-v3.1.ts";
import type { Operations as AccountsV40 } from "./types/aisp-v4.0.ts";
import type { Operations as FundsV31 } from "./types/cbpii-v3.1.ts";
import type { Operations as FundsV40 } from "./types/cbpii-v4.0.ts";
import type { Operations as EventsV31 } from "./types/events-v3.1.ts";
import type { Operations as EventsV40 } from "./types/events-v4.0.ts";
import type { Operations as PaymentsV31 } from "./types/pisp-v3.1.ts";
import type { Operations as PaymentsV40 } from "./types/pisp-v4.0.ts";

/** The bodies of every operation, by API and version. */
export type Bodies = {
  payments: { "v3.1": PaymentsV31; "v4.0": PaymentsV40 };
  accounts: { "v3.1": AccountsV31; "v4.0": AccountsV40 };
  funds: { "v3.1": FundsV31; "v4.0": FundsV40 };
  events: { "v3.1": EventsV31; "v4.0": EventsV40 };
};

/** A version of an API. */
export type Version = "v3.1" | "v4.0";

/** The version of each API. */
export type Versions = { [Api in keyof Bodies]: Version };

/** The versions that are used if you name none. */
export const newest: Versions = {
  payments: "v4.0",
  accounts: "v4.0",
  funds: "v4.0",
  events: "v4.0",
};

/** The version of an API among the chosen ones. */
type VersionOf<V, Api extends keyof Bodies> =
  V extends Record<Api, infer Chosen> ? (Chosen extends Version ? Chosen : "v4.0") : "v4.0";

/** The operations of an API in the chosen version. */
export type OperationsOf<V, Api extends keyof Bodies> = Bodies[Api][VersionOf<V, Api>];

/** The request body of an operation. */
export type BodyOf<Operations, Key> = Key extends keyof Operations
  ? Operations[Key] extends { body: infer Body }
    ? Body
    : never
  : never;

/** The answer of an operation. */
export type AnswerOf<Operations, Key> = Key extends keyof Operations
  ? Operations[Key] extends { answer: infer Answer }
    ? Answer
    : never
  : never;

/** The path of an API below the base of all APIs. */
export const apiPaths: Readonly<Record<keyof Versions, string>> = {
  payments: "/pisp",
  accounts: "/aisp",
  funds: "/cbpii",
  events: "",
};
