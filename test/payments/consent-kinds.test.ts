import assert from "node:assert/strict";
import { test } from "node:test";
import type { BankAccount, Price } from "#src/bank/port.ts";
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { paperBank } from "#test/auth/paper-bank.ts";
import { kindSample } from "#test/journeys/kind-sample.ts";
import { domesticConsent, scheduledConsent, standingOrderConsent } from "./fixture.ts";
import { consentOf, current, fileTerms, kindOf, now } from "./paper-consents.ts";

const price: Price = {
  debit: { amountMinor: 85n, currency: "GBP" },
  charge: null,
  credit: { amountMinor: 100n, currency: "EUR" },
  deducted: null,
  rate: null,
};

/** Rows as they are shown, without the facts behind them. */
const shown = (rows: PaymentSummary["rows"]) => rows.map(({ facts: _facts, ...row }) => row);

test("the consent page shows a payment in plain words", () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.InstructedAmount.Amount = "1234567.5";
    Data.Initiation.RemittanceInformation = { Unstructured: ["for the fish"] };
    Data.ReadRefundAccount = "Yes";
  });
  const charges = [
    {
      chargeBearer: "BorneByDebtor",
      type: "UK.OBIE.CHAPSOut",
      amount: { amountMinor: 2000n, currency: "GBP" },
    },
  ];
  const summary = kindOf("domestic-payment").summarise(consentOf(body, { charges }), now);
  const { notes, ...rest } = summary as PaymentSummary;
  assert.deepEqual(
    { ...rest, rows: shown(rest.rows) },
    {
      type: "payment",
      amount: "£1,234,567.50",
      payeeName: "Dr Foo",
      payeeAccount: "20-20-10 10981789",
      rows: [
        { label: "Reference", value: "for the fish" },
        { label: "Payment date", value: "Now", about: "when" },
        { label: "Bank charge", value: "£20.00", about: "cost" },
        {
          label: "Taken from your account",
          value: "£1,234,587.50",
          about: "cost",
          confirmed: true,
          total: { detail: "including £20.00 in charges", isEstimate: false, later: null },
        },
      ],
    },
  );
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /refunds/);
});

test("an IBAN is shown in groups of four", () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.CreditorAccount = {
      SchemeName: "UK.OBIE.IBAN",
      Identification: "GB29NWBK60161331926819",
      Name: "Dr Foo",
    };
  });
  const summary = kindOf("domestic-payment").summarise(consentOf(body), now) as PaymentSummary;
  assert.equal(summary.payeeAccount, "GB29 NWBK 6016 1331 9268 19");
});

test("a scheduled payment shows the working day on which the money leaves, and the day that was asked for", () => {
  const body = scheduledConsent(({ Data }) => {
    Data.Initiation.RequestedExecutionDateTime = "2027-03-13T00:00:00Z"; // a Saturday
  });
  const kind = kindOf("domestic-scheduled-payment");
  const { rows, notes } = kind.summarise(consentOf(body), now) as PaymentSummary;
  const asked = "Saturday 13 March 2027, which is not a working day";
  assert.deepEqual(shown(rows), [
    { label: "Date requested", value: asked, about: "when", confirmed: true },
    {
      label: "Payment date",
      value: "Monday 15 March 2027",
      about: "when",
      confirmed: true,
      paid: "on Monday 15 March 2027",
    },
  ]);
  assert.match(notes.join(), /cancel/);
});

test("a standing order shows its schedule in plain words, and that it can be cancelled", () => {
  const body = standingOrderConsent(({ Data }) => {
    Data.Initiation.NumberOfPayments = "12";
    Data.Initiation.RecurringPaymentAmount = { Amount: "6.00", Currency: "GBP" };
  });
  const { amount, rows, notes } = kindOf("domestic-standing-order").summarise(
    consentOf(body),
    now,
  ) as PaymentSummary;
  assert.equal(amount, "£6.00 on the 15th of every month");
  const confirmed = { about: "when", confirmed: true };
  assert.deepEqual(shown(rows), [
    { label: "First payment", value: "£5.00 on Monday 15 March 2027", ...confirmed },
    { label: "After that", value: "£6.00 on the 15th of every month", ...confirmed },
    { label: "Last payment", value: "On Tuesday 15 February 2028", ...confirmed },
    {
      label: "Weekends and bank holidays",
      value: "Paid on the next working day",
      ...confirmed,
    },
    { label: "Ends", value: "After 12 payments", ...confirmed },
  ]);
  assert.match(notes.join(), /standing order.*cancel/);
});

test("a standing order shows the working day of its first payment, and the day requested", () => {
  const body = standingOrderConsent(({ Data }) => {
    Data.Initiation.MandateRelatedInformation.FirstPaymentDateTime = "2027-03-13T00:00:00Z";
  });
  const standing = kindOf("domestic-standing-order");
  const { rows } = standing.summarise(consentOf(body), now) as PaymentSummary;
  const [asked, paid] = rows.map(({ label, value }) => `${label}: ${value}`);
  assert.equal(asked, "Date requested: Saturday 13 March 2027, which is not a working day");
  assert.equal(paid, "First payment: £5.00 on Monday 15 March 2027");
});

test("a standing order whose dates have passed cannot be authorised", () => {
  const kind = kindOf("domestic-standing-order");
  const dated = consentOf(standingOrderConsent());
  assert.equal(kind.whyNotNow(dated, now), null);
  const onTheDay = Temporal.Instant.from("2027-03-15T00:00:00Z");
  const mandate = "Data.Initiation.MandateRelatedInformation";
  const late = kind.whyNotNow(dated, onTheDay);
  assert.deepEqual([late?.code, late?.path], ["DT01", `${mandate}.FirstPaymentDateTime`]);
  const undated = consentOf(
    standingOrderConsent(({ Data }) => {
      delete Data.Initiation.MandateRelatedInformation.FirstPaymentDateTime;
      Data.Initiation.MandateRelatedInformation.FinalPaymentDateTime = "2027-03-12T00:00:00Z";
    }),
  );
  assert.equal(kind.whyNotNow(undated, now), null);
  const over = kind.whyNotNow(undated, Temporal.Instant.from("2027-03-12T10:00:00Z"));
  assert.deepEqual([over?.code, over?.path], ["U003", `${mandate}.FinalPaymentDateTime`]);
});

test("a named debtor account is passed to the journey", () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.DebtorAccount = {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "40478411111111",
    };
  });
  const kind = kindOf("domestic-payment");
  assert.equal(kind.namedDebtor(consentOf(domesticConsent())), null);
  assert.deepEqual(kind.namedDebtor(consentOf(body)), {
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "40478411111111",
    name: null,
    secondaryIdentification: null,
  });
});

test("a review is needed exactly if it has rows or notes to add", async () => {
  const bank = { ...paperBank, price: async () => price };
  const kinds = paymentConsentKinds(paymentKinds, { bank, config: loadConfig({}) });
  const joint: BankAccount = { ...current, signatoriesRequired: 2 };
  const reviewed = new Map<string, boolean>();
  for (const [index, kind] of kinds.entries()) {
    const row = present(paymentKinds[index], "the kind");
    const isOfFile = row.consent.initial === "AWUP";
    for (const abroad of isOfFile ? [0, 1] : [0]) {
      const body = kindSample({ clock: { now: () => now } }, row).consent;
      const terms = isOfFile ? { file: { ...fileTerms, abroad } } : {};
      const consent = { ...consentOf(body, terms), kind: kind.id };
      for (const account of [current, joint]) {
        const { isNeeded, more } = present(kind.review, "the kind's review");
        const { rows, notes } = present(
          await more?.(consent, account, { customerId: null, now }),
          "what it adds",
        );
        const needed = isNeeded(consent, account);
        const name = [kind.id, abroad ? "abroad" : "", account === joint ? "joint" : ""].join(" ");
        assert.equal(needed, rows.length + notes.length > 0, name);
        // a review that every account needs is needed for this one
        if (isNeeded(consent, null)) assert.ok(needed, name);
        reviewed.set(name.trim(), needed);
      }
    }
  }
  assert.deepEqual(
    ["domestic-payment", "domestic-payment  joint", "domestic-vrp", "international-payment"]
      .concat(["file-payment", "file-payment abroad"])
      .map((name) => reviewed.get(name)),
    [false, true, false, true, false, true],
  );
});

for (const [id, says] of [
  ["domestic-payment", "approved this payment, we will not pay until"],
  ["domestic-standing-order", "approved this standing order, we will not set it up until"],
  ["file-payment", "approved this file of payments, we will not pay until"],
] as const) {
  test(`a customer who approves a ${id} first reads what waits for the others`, async () => {
    const row = present(
      paymentKinds.find((kind) => kind.id === id),
      id,
    );
    const consent = consentOf(kindSample({ clock: { now: () => now } }, row).consent);
    const shared = { ...current, signatoriesRequired: 2 };
    const more = await kindOf(id).review?.more?.(consent, shared, { customerId: null, now });
    assert.ok(more?.notes.join().includes(says), JSON.stringify(more));
  });
}

test("AuthorisationType limits the accounts that the customer can choose", () => {
  const joint: BankAccount = { ...current, signatoriesRequired: 2 };
  const cases: [account: BankAccount, type: string | null, eligible: boolean][] = [
    [current, null, true],
    [current, "Any", true],
    [current, "Single", true],
    [current, "Multiple", false],
    [joint, null, true],
    [joint, "Any", true],
    [joint, "Single", false],
    [joint, "Multiple", true],
    [{ ...current, accountSubType: "Savings" }, null, true],
    [{ ...current, accountSubType: "CreditCard" }, null, false],
    [{ ...current, currency: "EUR" }, null, false],
    [{ ...current, status: "Disabled" }, null, false],
    [{ ...current, status: "Deleted" }, null, false],
  ];
  for (const [account, type, eligible] of cases) {
    const body = domesticConsent(({ Data }) => {
      if (type) Data.Authorisation = { AuthorisationType: type };
    });
    const kind = kindOf("domestic-payment");
    const consent = consentOf(body);
    const why = kind.whyNotEligible(consent, account) ?? kind.whyNotSignable(consent, account);
    assert.equal(why === null, eligible, `${JSON.stringify(account)} for ${type}: ${why}`);
  }
});

test("P-128: a file can be paid only from an account in the currency that its payments need", () => {
  const body = { Data: { Initiation: { FileType: "UK.OBIE.PaymentInitiation.4.0" } } };
  const whyNot = (accountCurrency: string | null, currency: string) =>
    kindOf("file-payment").whyNotEligible(
      consentOf(body, {
        file: {
          ...fileTerms,
          accountCurrency,
        },
      }),
      { ...current, currency },
    );
  assert.equal(whyNot("GBP", "GBP"), null);
  assert.match(whyNot("GBP", "EUR") ?? "", /paid from an account in pounds/);
  assert.match(whyNot("EUR", "GBP") ?? "", /paid from an account in euros/);
  assert.equal(whyNot(null, "EUR"), null);
});

test("P-109: after its cut-off a consent cannot be authorised if the bank rejects late payments", () => {
  const consent = consentOf(domesticConsent(), {
    cutOff: Temporal.Instant.from("2027-03-02T10:00:00Z"),
  });
  const config = { CUT_OFF_TIME: "10:00" } as const;
  const rejecting = kindOf("domestic-payment", { ...config, CUT_OFF_STRATEGY: "reject" });
  assert.equal(rejecting.whyNotNow(consent, now)?.code, "U012");
  assert.equal(rejecting.whyNotNow(consent, now.subtract({ seconds: 1 })), null);
  const accepting = kindOf("domestic-payment", { ...config, CUT_OFF_STRATEGY: "accept" });
  assert.equal(accepting.whyNotNow(consent, now), null);
});

test("a scheduled consent cannot be authorised once its payment date has come", () => {
  const kind = kindOf("domestic-scheduled-payment");
  const consent = consentOf(scheduledConsent());
  assert.equal(kind.whyNotNow(consent, Temporal.Instant.from("2027-03-08T23:59:59Z")), null);
  const late = kind.whyNotNow(consent, Temporal.Instant.from("2027-03-09T00:00:00Z"));
  assert.equal(late?.code, "DT01");
});

test("a consent cannot be authorised after its CompletionDateTime", () => {
  const body = domesticConsent(({ Data }) => {
    Data.Authorisation = {
      AuthorisationType: "Any",
      CompletionDateTime: "2027-03-02T10:00:00Z",
    };
  });
  const kind = kindOf("domestic-payment");
  assert.equal(kind.whyNotNow(consentOf(body), now.subtract({ seconds: 1 })), null);
  const late = kind.whyNotNow(consentOf(body), now);
  assert.equal(late?.path, "Data.Authorisation.CompletionDateTime");
});
