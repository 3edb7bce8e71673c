import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { domesticConsent } from "#test/payments/fixture.ts";

// Mistakes that a TPP's developer makes, and what the response must say so that the developer need
// not guess. Each row is one mistake; `says` is what the first error's message contains.

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

type Errors = { Errors: { ErrorCode: string; Message: string; Path?: string }[] };
type Lodged = { Data: { ConsentId: string } };

const consents = "/domestic-payment-consents";
const permissions = ["ReadAccountsDetail"];
const access = (Permissions: string[]) => ({ Data: { Permissions }, Risk: {} });
const ofAccess = (version: string) => `/${version}/aisp/account-access-consents`;

const send = async (path: string, scope: "accounts" | "payments", body?: unknown) =>
  tpp.call<Errors>({ path, token: await tpp.clientToken(scope), ...(body ? { body } : {}) });

async function lodge(path: string, scope: "accounts" | "payments", body: unknown): Promise<string> {
  const token = await tpp.clientToken(scope);
  const answer = await tpp.call<Lodged>({ path, token, body });
  expectStatus(answer, 201);
  return answer.body.Data.ConsentId;
}

/** Has a payment approved. Returns the order that the consent wants, and its token. */
async function approved() {
  const body = domesticConsent();
  const consentId = await lodge(`/v4.0/pisp${consents}`, "payments", body);
  const [account] = await bank.currentAccounts("amara");
  const accounts = [account?.accountId ?? ""];
  const grant = { scope: "payments", consentId, customer: "amara", accounts } as const;
  const { access_token: token } = await bank.approve(tpp, grant);
  const order = { ...body, Data: { ...body.Data, ConsentId: consentId } };
  return { consentId, token, order };
}

const pay = async (change: (of: Awaited<ReturnType<typeof approved>>) => unknown) => {
  const agreed = await approved();
  const body = change(agreed);
  return tpp.call<Errors>({ path: "/v4.0/pisp/domestic-payments", token: agreed.token, body });
};

const mistakes: [
  mistake: string,
  make: () => Promise<Answer<Errors>>,
  status: number,
  says: RegExp,
][] = [
  [
    "A-070: an unknown permission on v3.1",
    () => send(ofAccess("v3.1"), "accounts", access([...permissions, "ReadFoo"])),
    400,
    /"ReadFoo" is not\. Send one of ReadAccounts, .*ReadDirectDebits\.$/,
  ],
  [
    "E-003: an unknown permission on v4.0",
    () => send(ofAccess("v4.0"), "accounts", access(["ReadFoo"])),
    400,
    /"ReadFoo" is not\. Send one of ReadAccounts, .*ReadDirectDebits\.$/,
  ],
  [
    "E-007: a v4.0 access consent read on v3.1",
    async () => {
      const consentId = await lodge(ofAccess("v4.0"), "accounts", access(permissions));
      return send(`${ofAccess("v3.1")}/${consentId}`, "accounts");
    },
    400,
    /created on aisp-v4\.0, .* Send the request to \/api\/open-banking\/v4\.0\/aisp\.$/,
  ],
  [
    "P-082: a sort code with hyphens",
    () => {
      const body = domesticConsent(({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = "20-20-1010981789";
      });
      return send(`/v4.0/pisp${consents}`, "payments", body);
    },
    400,
    /must be 14 digits: the sort code and the account number, without hyphens or spaces\.$/,
  ],
  [
    "P-152: an order with another amount than its consent",
    () =>
      pay(({ order }) => {
        order.Data.Initiation.InstructedAmount.Amount = "11.00";
        return order;
      }),
    400,
    /the consent has "10\.00", and this request has "11\.00"\.$/,
  ],
  [
    "P-152: an order with a field that its consent does not have",
    () =>
      pay(({ order }) => {
        order.Data.Initiation.LocalInstrument = "UK.OBIE.FPS";
        return order;
      }),
    400,
    /the consent has no such field, and this request has "UK\.OBIE\.FPS"\. Leave it out\.$/,
  ],
  [
    "A-037: a patch release in the path",
    () => send("/v4.0.1/aisp/accounts", "accounts"),
    404,
    /does not serve this path\. v3\.1 or v4\.0 does\.$/,
  ],
  [
    "A-024: a misspelt path",
    () => send("/v4.0/aisp/account", "accounts"),
    404,
    /Similar paths: \/accounts, \/accounts\/\{AccountId\}/,
  ],
  [
    "a misspelt path of events",
    () => send("/v4.0/event-subscription", "accounts"),
    404,
    /Event Notifications v4\.0 has no such path\. Similar paths: \/event-subscriptions,/,
  ],
  [
    "a path with the API before the version",
    () => send("/pisp/v4.0/domestic-payments", "payments"),
    404,
    /the version comes before the API: \/api\/open-banking\/v4\.0\/pisp\/domestic-payments\.$/,
  ],
];

for (const [mistake, make, status, says] of mistakes) {
  test(`${mistake}: the response says so`, async () => {
    const answer = await make();
    assert.equal(answer.status, status, answer.raw.toString());
    assert.match(answer.body.Errors[0]?.Message ?? "", says);
  });
}

test("P-162: an order for another own consent names both consents", async () => {
  const other = await approved();
  const ids: string[] = [];
  const answer = await pay(({ consentId }) => {
    ids.push(consentId, other.consentId);
    return other.order;
  });
  assert.equal(answer.status, 403);
  const message = answer.body.Errors[0]?.Message ?? "";
  for (const id of ids) assert.ok(message.includes(id), message);
});
