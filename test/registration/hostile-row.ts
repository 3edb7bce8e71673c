import type { Bed, Sent } from "./bed.ts";
import type { Changes } from "./request-claims.ts";

/** A bad request: nobody is registered, and the first rule that it breaks is this one. */
export type Hostile = {
  name: string;
  rule: string;
  /** Default: 400. */
  status?: number;
  make(bed: Bed): Promise<Sent>;
};

/** The time in seconds. */
export const now = (): number => Math.floor(Date.now() / 1000);

/** A request with a changed claim. */
export const claim = (rule: string, name: string, change: Changes): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: await bed.request(change) }),
});

/** A request whose statement has a changed claim. */
export const statement = (rule: string, name: string, change: Changes): Hostile => ({
  name: `a statement with ${name}`,
  rule,
  make: async (bed) => ({
    body: await bed.request({ software_statement: await bed.statement(change) }),
  }),
});

/** Values of wrong types, for a claim that is a string. */
export const notText: [string, unknown][] = [
  ["absent", undefined],
  ["null", null],
  ["a number", 7],
  ["a list", ["x"]],
  ["an object", { x: 1 }],
  ["an object that cannot be text", { toString: 1 }],
  ["a list of an object that cannot be text", [{ toString: 1 }]],
  ["true", true],
  ["empty", ""],
];

/** A row for each wrong value of a claim. */
export const each = (
  make: (rule: string, name: string, change: Changes) => Hostile,
  rule: string,
  member: string,
  values: [string, unknown][],
): Hostile[] => values.map(([what, value]) => make(rule, `${member} ${what}`, { [member]: value }));

/** Values of wrong types, for a claim that is a list of strings. */
export const notList: [string, unknown][] = [
  ["null", null],
  ["a text", "authorization_code"],
  ["a number", 7],
  ["an object", {}],
  ["an empty list", []],
  ["a list of numbers", [1]],
];

/** The claims of a client that authenticates by certificate. */
export const tls = (dn: unknown): Changes => ({
  token_endpoint_auth_method: "tls_client_auth",
  tls_client_auth_subject_dn: dn,
});
