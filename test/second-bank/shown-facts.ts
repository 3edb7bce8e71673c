import type { AccountChanges } from "#src/account-store/feed.ts";

const accountId = "second-current";
const openedOn = Temporal.PlainDate.from("2024-03-01");

/** What the second bank sends of Ada's account: the account, its holder and one transaction. */
export const shownFacts: AccountChanges = {
  accounts: [
    {
      version: 1n,
      accountId,
      accountType: "Personal",
      accountSubType: "CurrentAccount",
      currency: "GBP",
      nickname: null,
      description: null,
      holderName: "Ada Quill",
      openedOn,
      status: "Enabled",
      statusUpdatedAt: openedOn.toZonedDateTime("UTC").toInstant(),
      isSwitched: false,
      sortCodeAccountNumber: "60837110000001",
      iban: null,
      maskedPan: null,
      signatoriesRequired: 1,
      productId: null,
      companyId: null,
    },
  ],
  holders: [{ version: 1n, accountId, customerId: "second-ada", role: "owner" }],
  transactions: [
    {
      version: 1n,
      accountId,
      transactionId: "second-entry-1",
      indicator: "Credit",
      status: "Booked",
      bookedAt: Temporal.Instant.from("2026-01-05T09:00:00Z"),
      valueAt: null,
      amount: { amountMinor: 1_234n, currency: "GBP" },
      isoCode: "PMNT-RCDT-DMCT",
      bankCode: { code: "GIRO", issuer: "Quill Bank" },
      reference: null,
      information: "FROM BOB",
      card: null,
      merchant: null,
      counterparty: null,
      balance: { amountMinor: 1_000_000n, type: "InterimBooked" },
      particulars: null,
      bookingId: null,
    },
  ],
};
