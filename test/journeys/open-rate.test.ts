// After an approval, the customer reads what is known of a payment at a rate that is not fixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { lodge } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

const payees = {
  EUR: {
    payee: {
      SchemeName: "UK.OBIE.IBAN",
      Identification: ibanFrom("DE", "009900990099000001"),
      Name: "Kaffeerösterei Lindenau",
    },
  },
  USD: {
    payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
  },
};

type Row = {
  title: string;
  to: keyof typeof payees;
  amount: { Amount: string; Currency: string };
  from: string;
  says: RegExp;
};

const atOurRate = "We convert it when we make the payment, at our exchange rate then";
const rows: Row[] = [
  {
    title: "an amount in another currency than the account's has no debit yet",
    to: "EUR",
    amount: { Amount: "250.00", Currency: "EUR" },
    from: "GBP",
    says: new RegExp(
      `You approved €250\\.00 to .+\\. ${atOurRate}, so what leaves this account in pounds ` +
        "isn’t fixed yet\\.",
    ),
  },
  {
    title: "an amount in the account's currency is sent in another one, with charges",
    to: "USD",
    amount: { Amount: "100.00", Currency: "GBP" },
    from: "GBP",
    says: new RegExp(
      `You approved £100\\.00 to .+\\. ${atOurRate}, to US dollars\\. ` +
        "Our charges of £10\\.00 come on top\\.",
    ),
  },
  {
    title: "an amount that stays in the account's currency is not exchanged",
    to: "EUR",
    amount: { Amount: "250.00", Currency: "EUR" },
    from: "EUR",
    says: /You approved €250\.00 to (?!.*(convert|rate)).+/,
  },
];

for (const { title, to, amount, from, says } of rows) {
  test(`after the approval: ${title}`, async () => {
    const { payee, ...agent } = payees[to];
    const { consentId } = await lodge(client, {
      kind: "international-payment",
      payee,
      initiation: { CurrencyOfTransfer: to, InstructedAmount: amount, ...agent },
    });
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
  });
}
