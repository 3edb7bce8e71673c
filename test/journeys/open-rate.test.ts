// After an approval, the customer reads what is known of a payment at a rate that is not fixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { payees } from "./payees-abroad.ts";
import { lodge } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

// a standing order of the amount
const monthly = (now: Temporal.Instant) => ({
  ...{ InstructionIdentification: undefined, EndToEndIdentification: undefined },
  MandateRelatedInformation: {
    FirstPaymentDateTime: now.add({ hours: 24 * 40 }).toString(),
    Frequency: { Type: "MNTH", CountPerPeriod: 1 },
  },
});

type Row = {
  title: string;
  isStandingOrder?: true;
  to: keyof typeof payees;
  amount: { Amount: string; Currency: string };
  from: string;
  bearer?: string;
  /** Whether the bank's core gives no price. */
  isUnpriced?: boolean;
  says: RegExp;
};

const atOurRate = "We convert the payment when we make it, at our exchange rate then";
const euros = { Amount: "250.00", Currency: "EUR" };
const rows: Row[] = [
  {
    title: "an amount in another currency than the account's has an estimated debit",
    to: "EUR",
    amount: euros,
    from: "GBP",
    says: new RegExp(
      "You approved €250\\.00 to \\S+ Lindenau from Pounds \\([\\d -]+\\)\\. " +
        `About £\\d+\\.\\d\\d leaves this account\\. ${atOurRate}\\. `,
    ),
  },
  {
    title: "an amount in the account's currency is sent in another one, with charges",
    to: "USD",
    amount: { Amount: "100.00", Currency: "GBP" },
    from: "GBP",
    says: new RegExp(
      "You approved £100\\.00 to Bright Harbor from Pounds .+?\\. £110\\.00 leaves this account, " +
        `including £10\\.00 in charges\\. ${atOurRate}, to US dollars\\. `,
    ),
  },
  {
    title: "an amount that stays in the account's currency is not exchanged",
    to: "EUR",
    amount: euros,
    from: "EUR",
    says: /You approved €250\.00 to (?!.*(convert|rate)).+/,
  },
  {
    title: "charges in another currency than the account's are an estimate",
    to: "EUR",
    amount: euros,
    from: "EUR",
    bearer: "BorneByDebtor",
    says: new RegExp(
      "You approved €250\\.00 to .+? from Euros .+?\\. About €\\d+\\.\\d\\d leaves this account, " +
        "including about €\\d\\d\\.\\d\\d in charges, at the rate at the time of payment\\. You ",
    ),
  },
  {
    title: "without a price, no debit is named",
    to: "USD",
    amount: { Amount: "100.00", Currency: "USD" },
    from: "GBP",
    isUnpriced: true,
    says: new RegExp(
      "You approved US\\$100\\.00 to Bright Harbor from Pounds .+?\\. If it has to be converted, we " +
        "use our exchange rate at the time of payment\\. Our charges of £10\\.00 come on top\\.",
    ),
  },
  {
    title: "without a price, a standing order names its charges once",
    isStandingOrder: true,
    to: "USD",
    amount: { Amount: "100.00", Currency: "USD" },
    from: "GBP",
    isUnpriced: true,
    says: new RegExp(
      "You approved a standing order to Bright Harbor from Pounds .+?: US\\$100\\.00 .+ month\\. " +
        "We charge £10\\.00 for each payment\\. If it has to be converted, we use our exchange rate " +
        "at the time of payment\\. (?!Our)",
    ),
  },
];

for (const { title, to, amount, from, bearer, isStandingOrder, isUnpriced, says } of rows) {
  test(`after the approval: ${title}`, async () => {
    const { payee, ...agent } = payees[to];
    const { consentId } = await lodge(client, {
      kind: isStandingOrder ? "international-standing-order" : "international-payment",
      payee,
      initiation: {
        ...{ CurrencyOfTransfer: to, InstructedAmount: amount, ...agent },
        ...(bearer ? { ChargeBearer: bearer } : {}),
        ...(isStandingOrder ? monthly(bank.clock.now()) : {}),
      },
    });
    const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
    const { price } = core;
    if (isUnpriced) core.price = async () => null;
    const accounts = await bank.currentAccounts("iris");
    const account = present(
      accounts.find(({ currency }) => currency === from),
      `an account in ${from}`,
    );
    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
    await customer.goToApproval("iris", account.accountId);
    const end = customer.page.url();
    await customer.press("approve");
    await customer.comeBack();
    await customer.open(end);
    assert.match(await customer.text(), says);
    await customer.leave();
    core.price = price;
  });
}
