import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { ActObject } from "#src/sandbox/controls/act-rows.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { examplesIn } from "#src/server/examples/examples.ts";
import { type Ambient, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";

/** What an act answers: its HTTP status, and its body. */
export type ActAnswer = { code: number; body: { id: string; status: string; message: string } };

/** An order, and what reads its status as its TPP does. */
export type ActedOrder = { id: string; status(): Promise<unknown> };

/** Does the act of a row on an object. Returns the status that it answers. */
export type Perform = (id: string, body?: object) => Promise<string>;

/** An act on an object, and what sees its effect. */
export type ActEffect = [
  on: ActObject,
  act: string,
  effect: string,
  see: (perform: Perform) => unknown,
];

/** A bank on which acts are done, with a TPP and a customer's account. */
export type ActsBed = {
  bank: TestBank;
  client: TppClient;
  login: string;
  accountId: string;
  /** Does an act, whatever the answer is. */
  act(path: string, body?: object): Promise<ActAnswer>;
  /** Makes an order to a payee, and waits until its status is this one. */
  order(
    kindId: string,
    payee: string,
    status: string,
    of?: TppClient,
    version?: PaymentVersion,
  ): Promise<ActedOrder>;
  /** Makes a consent to read the account, which the customer approves. */
  access(version?: "v4.0" | "v3.1"): Promise<{ consentId: string; token: string }>;
};

type PaymentVersion = "v4.0" | "v3.1";
type Wanted = { kindId: string; payee: string; version: PaymentVersion; now: Temporal.Instant };
type Resource = { Data: Record<string, unknown> };

const login = "test_executed";
const permissions = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadStatementsDetail",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
];

/** Opens a bank for acts. */
export async function openActs(ambient: Ambient = {}): Promise<ActsBed> {
  const bank = await openBank({}, undefined, undefined, ambient);
  const client = await bank.createTpp();
  const { accountId } = present((await bank.currentAccounts(login))[0], "an account");
  const approve = async (of: TppClient, scope: "accounts" | "payments", consentId: string) => {
    const given = { scope, consentId, customer: login, accounts: [accountId] };
    return (await bank.approve(of, given)).access_token;
  };
  return {
    bank,
    client,
    login,
    accountId,
    async act(path, body = {}) {
      const answer = await fetch(`${bank.publicUrl}/sandbox/v1${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { code: answer.status, body: (await answer.json()) as ActAnswer["body"] };
    },
    async access(version = "v4.0") {
      const lodged = await client.call<Resource>({
        path: `/${version}/aisp/account-access-consents`,
        token: await client.clientToken("accounts"),
        body: { Data: { Permissions: permissions }, Risk: {} },
      });
      expectStatus(lodged, 201);
      const consentId = String(lodged.body.Data.ConsentId);
      return { consentId, token: await approve(client, "accounts", consentId) };
    },
    async order(kindId, payee, status, of = client, version = "v4.0") {
      const wanted = { kindId, payee, version, now: bank.clock.now() };
      const { id, path } = await submit(of, wanted, (consentId) =>
        approve(of, "payments", consentId),
      );
      // a moved clock ends tokens
      const read = async () => {
        const token = await of.clientToken("payments");
        return (await of.call<Resource>({ path, token })).body.Data.Status;
      };
      await until(read, (found) => found === status);
      return { id, status: read };
    },
  };
}

/** Submits the example of an order of a kind to a payee. */
async function submit(
  client: TppClient,
  { kindId, payee, version, now }: Wanted,
  approve: (consentId: string) => Promise<string>,
): Promise<{ id: string; path: string }> {
  const kind = present(
    paymentKinds.find((one) => one.id === kindId),
    kindId,
  );
  const account = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: payee,
    Name: "A Payee",
  };
  const { consent, order } = examplesIn(kind, `pisp-${version}`).demo(account, now);
  const lodged = await client.call<Resource>({
    path: `/${version}/pisp/${kindId}-consents`,
    token: await client.clientToken("payments"),
    body: consent,
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const path = `/${version}/pisp/${kindId}s`;
  const body = { ...order, Data: { ...order.Data, ConsentId: consentId } };
  const made = await client.call<Resource>({ path, token: await approve(consentId), body });
  expectStatus(made, 201);
  const id = String(made.body.Data[kind.orderIdField]);
  return { id, path: `${path}/${id}` };
}
