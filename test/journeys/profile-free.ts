import assert from "node:assert/strict";
import type { Answer, Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { type Lodged, lodge, lodgeAccess, type Order, type Resource, submit } from "./payments.ts";

/** A transaction of an account, with the members that the tests read. */
export type Transaction = Record<string, string> & {
  Amount: { Amount: string };
  BookingDateTime: string;
};
/** One page of transactions. */
export type Page = {
  Data: { Transaction: Transaction[] };
  Links: { Self: string; Next?: string; First?: string };
};
/** Access to an account that its customer has approved. */
export type Access = {
  consentId: string;
  tokens: Tokens;
  redirect: URLSearchParams;
  accountId: string;
};
/** A payment that was ordered. */
export type Paid = { lodged: Lodged; answer: Answer<Resource>; orderId: string };

/** A bank and a client with default settings. */
export class Bed {
  readonly bank: TestBank;
  readonly client: TppClient;

  constructor(bank: TestBank, client: TppClient) {
    this.bank = bank;
    this.client = client;
  }

  /** Lets Amara approve access to her current account, with `data` in the consent. */
  async grantAccess(data: Record<string, unknown> = {}): Promise<Access> {
    const { client } = this;
    const consentId = await lodgeAccess(client, data);
    const accountId = await this.accountId();
    const authorizationUrl = await client.authorizationUrl({
      scope: "accounts",
      consentId,
      nonce: "nonce-1",
      state: "state-1",
    });
    const { redirectUrl: back } = await this.bank.decide({
      authorizationUrl,
      customer: "amara",
      decision: "approve",
      accounts: [accountId],
    });
    const redirect = new URLSearchParams(new URL(back).hash.slice(1));
    return { consentId, tokens: await client.exchangeCode(back), redirect, accountId };
  }

  /** Lets Amara approve a payment from her current account. Returns the token. */
  async authorise({ consentId }: Lodged): Promise<string> {
    const accounts = [await this.accountId()];
    const grant = { scope: "payments" as const, consentId, customer: "amara", accounts };
    return (await this.bank.approve(this.client, grant)).access_token;
  }

  /** Pays £1. */
  async pay(given: Order = {}): Promise<Paid> {
    const lodged = await lodge(this.client, { amount: "1.00", ...given });
    const answer = await submit(this.client, lodged, await this.authorise(lodged));
    expectStatus(answer, 201);
    return { lodged, answer, orderId: String(answer.body.Data.DomesticPaymentId) };
  }

  /** Reads a path of the account information API, or a link as it is. */
  read<Body = Resource>(path: string, token: string): Promise<Answer<Body>> {
    const where = path.startsWith("http") ? path : `/v3.1/aisp${path}`;
    return this.client.call<Body>({ path: where, token });
  }

  /** Reads all transactions of the account, page by page. */
  async transactions({ accountId, tokens }: Access): Promise<Transaction[]> {
    const found: Transaction[] = [];
    let next: string | undefined = `/accounts/${accountId}/transactions`;
    for (let pages = 0; next !== undefined && pages < 100; pages += 1) {
      const answer: Answer<Page> = await this.read<Page>(next, tokens.access_token);
      expectStatus(answer, 200);
      found.push(...answer.body.Data.Transaction);
      next = answer.body.Links.Next;
    }
    return found;
  }

  /** Returns the id of Amara's current account. */
  async accountId(): Promise<string> {
    const [account] = await this.bank.currentAccounts("amara");
    assert.ok(account);
    return account.accountId;
  }
}

/** Opens a bank with one client that has default settings, on a seeded database by default. */
export async function openBed(given?: Database): Promise<Bed> {
  const bank = await openBank({}, given);
  return new Bed(bank, await bank.createTpp());
}
