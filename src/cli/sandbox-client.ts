import { addressesOf } from "#src/config/addresses.ts";
import type { SandboxCustomer } from "#src/sandbox/controls.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { BankAddress } from "#src/sandbox/tpp-client.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";

/** The bank did not answer, or said no; the message is for the person at the terminal. */
export class BankRefused extends Error {}

/** A new TPP, as the sandbox's interface gives it. */
export type NewTpp = Pick<
  IssuedTpp,
  | "clientId"
  | "organisationId"
  | "softwareId"
  | "softwareStatement"
  | "signing"
  | "transport"
  | "caPem"
>;

/** A running sandbox, through its own interface. */
export type SandboxClient = {
  bank: BankAddress;
  createTpp(request: TppRequest): Promise<NewTpp>;
  authorise(request: object): Promise<{ redirectUrl: string }>;
  listCustomers(): Promise<SandboxCustomer[]>;
  now(): Promise<Temporal.Instant>;
  advance(duration: string): Promise<void>;
  verify(): Promise<string[]>;
};

/** The sandbox at these addresses, or at those of the configuration. */
export function sandboxClient(bank: BankAddress): SandboxClient {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    let response: Response;
    try {
      response = await fetch(`${bank.publicUrl}/sandbox/v1${path}`, {
        method,
        ...(body
          ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
          : {}),
      });
    } catch {
      throw new BankRefused(`No bank answers at ${bank.publicUrl}. Start it with: npm start`);
    }
    const answer = (await response.json()) as { message?: string; faults?: string[] };
    if (response.ok) return answer;
    const faults = answer.faults?.length ? `\n  ${answer.faults.join("\n  ")}` : "";
    throw new BankRefused(`${answer.message ?? response.status}${faults}`);
  };
  return {
    bank,
    createTpp: async (request) => (await call("POST", "/tpps", request)) as NewTpp,
    authorise: async (request) =>
      (await call("POST", "/authorisations", request)) as { redirectUrl: string },
    listCustomers: async () =>
      ((await call("GET", "/customers")) as { customers: SandboxCustomer[] }).customers,
    now: async () => Temporal.Instant.from(((await call("GET", "/clock")) as { now: string }).now),
    advance: async (duration) => void (await call("PUT", "/clock", { advance: duration })),
    verify: async () => ((await call("GET", "/verify")) as { breaches: string[] }).breaches,
  };
}

/** The sandbox that this configuration's bank runs. */
export const configuredSandbox = (cli: Pick<Cli, "environment">): SandboxClient =>
  sandboxClient(addressesOf(configOf(cli.environment)));
