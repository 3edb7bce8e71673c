import type { Answer, Call, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";

/** A body of the API, with every member that tests check. */
export type Body = {
  Data: Record<string, unknown>;
  Links: { Self: string };
  Errors: { ErrorCode: string; Path?: string }[];
};

/** A card issuer that calls one version of the API. */
export class CardIssuer {
  readonly client: TppClient;
  readonly #bank: TestBank;
  readonly #path: string;

  constructor(bank: TestBank, client: TppClient, path: string) {
    this.#bank = bank;
    this.client = client;
    this.#path = path;
  }

  /** The same TPP, on another version. */
  through(path: string): CardIssuer {
    return new CardIssuer(this.#bank, this.client, path);
  }

  call(below: string, call: Omit<Call, "path">): Promise<Answer<Body>> {
    return this.client.call<Body>({ path: this.#path + below, ...call });
  }

  /** Calls with a client credentials token. */
  async own(below: string, call: Omit<Call, "path"> = {}): Promise<Answer<Body>> {
    return this.call(below, {
      token: await this.client.clientToken("fundsconfirmations"),
      ...call,
    });
  }

  lodge(data: object, more: Omit<Call, "path"> = {}): Promise<Answer<Body>> {
    return this.own(consents, { body: { Data: data }, ...more });
  }

  /** Lodges a consent, which must be accepted. Returns its id. */
  async consentId(data: object): Promise<string> {
    const lodged = await this.lodge(data);
    expectStatus(lodged, 201);
    return String(lodged.body.Data.ConsentId);
  }

  /** A consent that a customer has approved, and its tokens. */
  async authorised(customer: string, data: object) {
    const consentId = await this.consentId(data);
    return { consentId, ...(await this.approve(customer, consentId)) };
  }

  /** Lets a customer approve a consent. Returns the tokens. */
  async approve(customer: string, consentId: string) {
    const scope = "fundsconfirmations";
    const tokens = await this.#bank.approve(this.client, { scope, consentId, customer });
    return { token: tokens.access_token, refreshToken: tokens.refresh_token };
  }

  read(consentId: string): Promise<Answer<Body>> {
    return this.own(`${consents}/${consentId}`);
  }

  /** Asks whether funds are available. The default is an amount in pounds with a new reference. */
  ask(
    { token, consentId }: { token: string; consentId: string },
    amount: string,
    more: { currency?: string; reference?: string } = {},
  ): Promise<Answer<Body>> {
    const { currency = "GBP", reference = `Purchase ${++purchases}` } = more;
    const InstructedAmount = { Amount: amount, Currency: currency };
    return this.call(confirmations, {
      token,
      body: { Data: { ConsentId: consentId, Reference: reference, InstructedAmount } },
    });
  }
}

let purchases = 0;

export const consents = "/funds-confirmation-consents";
export const confirmations = "/funds-confirmations";

/** An account as a TPP names it. */
export const named = (identification: string | null) => ({
  DebtorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: identification ?? "",
  },
});
