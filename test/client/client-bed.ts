import { type Bank, type Consent, connect, type Grant } from "#packages/client/src/index.ts";
import type { ConnectOptions } from "#packages/client/src/options.ts";
import { openSandbox, type Sandbox, type WantedTpp } from "#packages/client/src/sandbox.ts";
import type { Fetch, FetchOptions } from "#packages/client/src/transport.ts";
import type { Versions } from "#packages/client/src/versions.ts";
import type { Config } from "#src/config/config.ts";
import { openBank, type TestBank } from "#test/harness.ts";

/** A bank with its sandbox's controls, and clients of it that are closed with it. */
export type ClientBed = {
  bank: TestBank;
  sandbox: Sandbox;
  /** Connects as a new TPP. */
  connect<const V extends Partial<Versions> = Record<never, never>>(
    options?: Partial<ConnectOptions<V>>,
    wanted?: WantedTpp,
  ): Promise<Bank<V>>;
  /** Lets a customer approve a consent. */
  approve(client: Bank, consent: Consent, customer?: string): Promise<Grant>;
  close(): Promise<void>;
};

/** Opens a bank for clients. */
export async function openClientBed(overrides: Partial<Config> = {}): Promise<ClientBed> {
  const bank = await openBank(overrides);
  const sandbox = openSandbox(bank.publicUrl);
  const clients: { close(): void }[] = [];
  return {
    bank,
    sandbox,
    async connect(options, wanted) {
      const client = await connect({ ...(await sandbox.createTpp(wanted)), ...options });
      clients.push(client);
      return client;
    },
    async approve(client, consent, customer = "amara") {
      const login = await client.authorise(consent);
      const { redirectUrl } = await sandbox.approve(login, { customer });
      return client.finish(login, redirectUrl);
    },
    async close() {
      for (const client of clients) client.close();
      sandbox.close();
      await bank.close();
    },
  };
}

/** A payment of ten pounds to a payee at another bank. */
export const tenPounds = {
  Data: {
    Initiation: {
      InstructionIdentification: "instruction-1",
      EndToEndIdentification: "end-1",
      InstructedAmount: { Amount: "10.00", Currency: "GBP" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "20202010981789",
        Name: "Dr Foo",
      },
    },
  },
  Risk: {},
};

/** What a test does with a request in place of sending it; null sends it. */
export type Play = (request: {
  url: string;
  options: FetchOptions;
  send: Fetch;
  count: number;
}) => Promise<Response> | null;

/**
 * Plays with the requests whose method and path match, and counts them. Other requests are sent.
 */
export function playing(method: string, path: RegExp, play: Play) {
  const seen: FetchOptions[] = [];
  return {
    seen,
    fetch(url: string, options: FetchOptions, send: Fetch): Promise<Response> {
      if (options.method !== method || !path.test(new URL(url).pathname)) return send(url, options);
      seen.push(options);
      return play({ url, options, send, count: seen.length }) ?? send(url, options);
    },
  };
}
