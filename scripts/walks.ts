// The requests that `npm run walk` follows. `open` prepares everything up to the request, and
// returns a function that prepares one more request of this kind, which it returns unsent.
import { randomUUID } from "node:crypto";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { revoke, subscribe } from "#test/events/events-bed.ts";
import { openReceiver } from "#test/events/receiver.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, quickPayee, submit } from "#test/journeys/payments.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { openRegistrationBed } from "#test/registration/bed.ts";
import { until } from "#test/until.ts";

/** A request that is ready to be sent: resolves when all that it causes is done. */
export type Walk = () => Promise<void>;
type OpenWalks = { prepare(): Promise<Walk>; close(): Promise<void> };

const customer = "amara";

// asks the database, because a TPP's request would be part of the walk
const untilSettled = (bank: TestBank, orderId: string): Promise<unknown> =>
  until(
    () =>
      bank.database.query(sql`
      select from payment_order where order_id = ${orderId} and status = 'ACCC'`),
    ({ length }) => length === 1,
  );

async function onBank(
  prepare: (bank: TestBank, client: TppClient, accounts: string[]) => Promise<Walk>,
): Promise<OpenWalks> {
  const bank = await openBank();
  const accounts = [present((await bank.currentAccounts(customer))[0], customer).accountId];
  return {
    prepare: async () => prepare(bank, await bank.createTpp(), accounts),
    close: () => bank.close(),
  };
}

/** The requests by name. */
export const walks: Record<string, { what: string; open(): Promise<OpenWalks> }> = {
  order: {
    what: "a signed domestic payment, from the socket to the ledger",
    open: () =>
      onBank(async (bank, client, accounts) => {
        const lodged = await lodge(client, { kind: "domestic-payment" });
        const { consentId } = lodged;
        const given = { scope: "payments", consentId, customer, accounts } as const;
        const { access_token: token } = await bank.approve(client, given);
        return async () => {
          const answer = await submit(client, lodged, token);
          expectStatus(answer, 201);
          await untilSettled(bank, String(answer.body.Data.DomesticPaymentId));
        };
      }),
  },
  page: {
    what: "a page of an account's transactions",
    open: () =>
      onBank(async (bank, client, accounts) => {
        const consentId = await lodgeAccess(client);
        const given = { scope: "accounts", consentId, customer, accounts } as const;
        const { access_token: token } = await bank.approve(client, given);
        return async () => {
          const path = `/v4.0/aisp/accounts/${accounts[0]}/transactions`;
          expectStatus(await client.call({ path, token }), 200);
        };
      }),
  },
  vrp: {
    what: "a VRP order over the limit of its period, which is rejected",
    open: () =>
      onBank(async (bank, client, accounts) => {
        const body = vrpConsent(({ Data }) => {
          Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
          Data.ControlParameters.MaximumIndividualAmount.Amount = "20.00";
          Data.Initiation = { CreditorAccount: quickPayee };
        });
        const path = "/v4.0/pisp/domestic-vrp";
        const ours = await client.clientToken("payments");
        const lodged = await client.call<Json>({ path: `${path}-consents`, token: ours, body });
        expectStatus(lodged, 201);
        const { ConsentId: consentId } = lodged.body.Data;
        const given = { scope: "payments", consentId, customer, accounts } as const;
        const { access_token: token } = await bank.approve(client, given);
        return async () => {
          const order = vrpOrder(consentId, body, "13.00");
          expectStatus(await client.call({ path: `${path}s`, token, body: order }), 400);
        };
      }),
  },
  registration: {
    what: "the registration of a client, with its directory's keys and status",
    async open() {
      const bed = await openRegistrationBed();
      return {
        async prepare() {
          const software_statement = await bed.statement({ software_version: randomUUID() });
          const body = await bed.request({ software_statement });
          return async () => {
            const { status, text } = await bed.send({ body });
            if (status !== 201) throw new Error(text);
          };
        },
        close: () => bed.close(),
      };
    },
  },
  revocation: {
    what: "the revocation of a consent, until the TPP's endpoint has accepted the event",
    open: () =>
      onBank(async (bank, client, accounts) => {
        const consentId = await lodgeAccess(client);
        await bank.approve(client, { scope: "accounts", consentId, customer, accounts });
        const receiver = await openReceiver();
        await subscribe(client, { CallbackUrl: receiver.url });
        return async () => {
          await revoke(bank, consentId);
          await receiver.arrived(1);
          await receiver.close();
        };
      }),
  },
};
