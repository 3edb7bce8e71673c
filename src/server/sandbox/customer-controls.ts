import { applyChanges } from "#src/account-store/feed.ts";
import { listWithFunds } from "#src/bank/list-with-funds.ts";
import { hasPart } from "#src/bank/parts.ts";
import type { Bank } from "#src/bank/port.ts";
import { sharedAccess } from "#src/consents/shared-access.ts";
import { stopConsent } from "#src/consents/stop-consent.ts";
import { formatAmount } from "#src/lib/money.ts";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
import { setAccountState } from "#src/sandbox/controls/account-states.ts";
import type { SandboxControls, SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { noCustomer, SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { exportCustomer } from "#src/sandbox/own-data/export-customer.ts";
import { endCustomer, importCustomer } from "#src/sandbox/own-data/import-customer.ts";
import type { TestCustomer } from "#src/server/opening/bank-context.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { type KindId, kindNamed } from "#src/standard/kind-id.ts";
import { sql } from "#src/storage/sql.ts";
import { customerActs, customerOf } from "./customer-acts.ts";

type SandboxParts = Parts & { sandbox: Sandbox };

/** The operations on customers. A bank's own core creates and deletes its customers itself. */
export const customerControls = (
  parts: SandboxParts,
): Pick<SandboxControls, "listCustomers" | "customers" | "customerActs"> => ({
  async listCustomers() {
    const all = await parts.sandbox.customers();
    return Promise.all(all.map((one) => describeCustomer(parts.bank, one)));
  },
  customers: ownCustomers(parts),
  customerActs: customerActs(parts),
});

function ownCustomers(parts: SandboxParts): SandboxControls["customers"] {
  const { database, bank, clock, sandbox } = parts;
  const refuseForCore = (): void => {
    if (sandbox.core) {
      throw new SandboxRefusal(409, "Only the bank's own core can change customers.");
    }
  };
  return {
    async create(document, options) {
      refuseForCore();
      await importCustomer({ database, clock }, document, options);
      return describeCustomer(bank, await customerOf(sandbox, document.login));
    },
    async export(login) {
      refuseForCore();
      const document = await exportCustomer({ database, bank, clock }, login);
      if (!document) throw noCustomer(login);
      return document;
    },
    async delete(login) {
      refuseForCore();
      const { customerId } = await customerOf(sandbox, login);
      if (sandbox.personas.some((one) => one.login === login)) {
        const message = `${login} belongs to every sandbox. Only customers that were created can be deleted.`;
        throw new SandboxRefusal(409, message);
      }
      await endAccess(parts, customerId);
      await endPayments(parts, customerId);
      await closeAccounts(parts, customerId);
      await endCustomer(database, customerId, clock.now());
    },
  };
}

/** Ends every consent of a customer that can still be used. */
async function endAccess(
  { database, clock, consentKinds }: SandboxParts,
  customerId: string,
): Promise<void> {
  const ids = consentKinds.map(({ id }) => id);
  const now = clock.now();
  const given = await database.query<{ consentId: string; kind: KindId }>(sql`
    select c."consentId", c.kind from ${sharedAccess(customerId, ids, now)} c
    where c.status = 'AUTH'`);
  for (const consent of given) {
    const { course } = kindNamed(consent.kind, consentKinds);
    await stopConsent(database, consent, course, { by: "customer" }, now);
  }
}

async function endPayments(parts: SandboxParts, customerId: string): Promise<void> {
  const { bank } = parts;
  for (const { orderId } of await listUpcoming(parts, customerId)) {
    await cancelOrder(parts, { orderId, customerId });
  }
  if (!hasPart(bank, "mandates")) return;
  for (const { directDebitId, isActive } of await bank.listDirectDebits(customerId)) {
    if (isActive) await bank.cancelDirectDebit(customerId, directDebitId);
  }
}

/** Closes the accounts that the customer holds alone. The others lose this holder. */
async function closeAccounts(
  { database, bank, clock }: SandboxParts,
  customerId: string,
): Promise<void> {
  for (const { accountId } of await bank.listAccounts(customerId)) {
    const holders = (await bank.listSignatories?.(accountId)) ?? [];
    if (holders.length > 1) {
      const holder = { accountId, customerId, version: 2n };
      await database.transaction((on) => applyChanges(on, { removed: { holders: [holder] } }));
    } else await setAccountState({ database, clock }, accountId, "closed");
  }
}

async function describeCustomer(bank: Bank, persona: TestCustomer): Promise<SandboxCustomer> {
  const accounts = await listWithFunds(bank, persona.customerId);
  const { customerId, login, password, name, description } = persona;
  return {
    customerId,
    login,
    password,
    name,
    description,
    accounts: accounts.map((account) => {
      const booked = account.funds?.bookedMinor ?? null;
      return {
        accountId: account.accountId,
        accountSubType: account.accountSubType,
        nickname: account.nickname,
        schemeName: account.sortCodeAccountNumber ? "UK.OBIE.SortCodeAccountNumber" : "UK.OBIE.PAN",
        identification: account.sortCodeAccountNumber ?? account.maskedPan ?? "",
        currency: account.currency,
        balance: booked === null ? null : signedAmount(booked, account.currency),
        signatoriesRequired: account.signatoriesRequired,
        status: account.status,
      };
    }),
  };
}

const signedAmount = (minor: bigint, currency: string): string =>
  minor < 0n ? `-${formatAmount(-minor, currency)}` : formatAmount(minor, currency);
