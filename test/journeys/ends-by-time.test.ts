// Time alone ends a journey while its customer is on the last page, which says the reason then. The
// machine's clock goes on here: if a sandbox's clock is set forward, the page names that instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank } from "#test/harness.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { nextMonday } from "./next-monday.ts";
import { firmEuros } from "./payees-abroad.ts";
import { lodge, type Order } from "./payments.ts";

type Row = {
  /** The time in London, on a working day, at which the TPP asks. */
  at: string;
  settings?: Partial<Config>;
  order(now: Temporal.Instant): Order;
  /** How long the request waits before the customer opens it. */
  waits?: string;
  login?: string;
  /** How long the customer is on the page. */
  stays: Temporal.DurationLike;
  title: string;
  says: string;
};

const rows: Record<string, Row> = {
  "the cut-off time passes": {
    at: "16:28",
    settings: { CUT_OFF_STRATEGY: "reject", CUT_OFF_TIME: "16:30" },
    order: () => ({}),
    stays: { minutes: 4 },
    title: "It is too late to approve this request",
    says: "It had to be approved before today’s cut-off time, which has passed.",
  },
  "the date of the payment comes": {
    at: "23:57",
    order: (now) => {
      // in London's offset, in which the bank then counts the days
      const day = now.toZonedDateTimeISO("Europe/London").startOfDay().add({ days: 1 });
      const RequestedExecutionDateTime = day.toString({ timeZoneName: "never" });
      return { kind: "domestic-scheduled-payment", initiation: { RequestedExecutionDateTime } };
    },
    stays: { minutes: 4 },
    title: "It is too late to approve this request",
    says: "The date of the payment has come, and it had to be approved before.",
  },
  "the time that the TPP gave ends": {
    at: "10:00",
    order: (now) => {
      const CompletionDateTime = `${now.add({ minutes: 4 })}`;
      return { data: { Authorisation: { AuthorisationType: "Any", CompletionDateTime } } };
    },
    stays: { minutes: 4, seconds: 30 },
    title: "It is too late to approve this request",
    says: "The time that it gave for approving it has passed.",
  },
  "the fixed exchange rate ends": {
    at: "10:00",
    order: () => firmEuros,
    waits: "PT13M",
    login: "iris",
    stays: { minutes: 3 },
    title: "It is too late to approve this request",
    says: "The exchange rate that we held for it is no longer valid.",
  },
  "the hour of the consent ends": {
    at: "10:00",
    order: () => ({}),
    waits: "PT57M",
    stays: { minutes: 4 },
    title: "This request has expired",
    says: "A request can be approved only for a limited time.",
  },
  "the page's own time runs out": {
    at: "10:00",
    order: () => ({}),
    stays: { minutes: 20 },
    title: "Your time has run out",
    says: "You did not finish in time",
  },
};

for (const [name, row] of Object.entries(rows)) {
  test(`if ${name} while a customer reads the last page, its answer gives that reason`, async () => {
    const { at, settings = {}, login = "dev" } = row;
    let stayed = Temporal.Duration.from({ seconds: 0 });
    const clock = { now: () => systemClock.now().add(stayed) };
    const bank = await openBank(settings, undefined, paymentKinds, { clock });
    try {
      await quietPersonas(bank.database);
      const monday = nextMonday(bank.clock.now()).toZonedDateTimeISO("Europe/London");
      const asked = monday.withPlainTime(at).toInstant();
      await bank.control("PUT", "/clock", { now: `${asked}` });
      const client = await bank.createTpp();
      const { consentId } = await lodge(client, row.order(bank.clock.now()));
      if (row.waits) await bank.advance(row.waits);
      const visitor = new Visitor(bank);
      await visitor.open(await client.authorizationUrl({ scope: "payments", consentId }));
      await visitor.submit({ login, password: `${login}-sandbox`, decision: "continue" });
      await visitor.confirm();
      const own = (await bank.customers()).find((one) => one.login === login)?.accounts;
      const isReviewed = ({ currency, signatoriesRequired: count }: NonNullable<typeof own>[0]) =>
        currency === "GBP" && count === (login === "dev" ? 2 : 1);
      const { accountId: account } = present(own?.find(isReviewed), "an account");
      await visitor.submit({ account, decision: visitor.go });
      assert.equal(visitor.step, "review", visitor.shown.body);
      stayed = Temporal.Duration.from(row.stays);
      await visitor.submit({ decision: visitor.go });
      const text = visitor.shown.body.replaceAll(/\s+/g, " ");
      for (const each of [row.title, row.says, "Nothing was paid."]) {
        assert.ok(text.includes(each), `${each} in ${text}`);
      }
      assert.doesNotMatch(text, /clock was set/);
    } finally {
      await bank.close();
    }
  });
}
