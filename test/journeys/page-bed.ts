import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { expectStatus } from "#test/harness.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import type { Customer } from "./customer.ts";
import type { JourneyBed } from "./journey-bed.ts";
import { consentFrame, type Resource } from "./payments.ts";

// in summer, when London time is not UTC, in a week in which the market is open
const nextJune = Temporal.Now.plainDateISO("Europe/London")
  .add({ years: 1 })
  .with({ month: 6, day: 1 });
const firstMonday = nextJune.add({ days: (8 - nextJune.dayOfWeek) % 7 });
const monday = firstMonday.toZonedDateTime({ timeZone: "Europe/London", plainTime: "10:00" });
/** The Tuesday of the following week. */
export const tuesday = firstMonday.add({ days: 8 });
/** Formats a date: `8 June 2027`. */
export const dayText = (date: Temporal.PlainDate): string =>
  date.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric" });

const shots = process.env.ALDGATE_SCREENSHOTS;

/** Saves wide and narrow pictures of the page if ALDGATE_SCREENSHOTS names a folder. */
export async function picture({ page }: Customer, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
  }
}

/**
 * The customer who reviews, whether the account has several signatories, and the picture's name.
 */
type Reviewed = { login: string; several?: boolean; name: string };

/** Sets the bank's clock to a Monday on which the market is open. */
export async function openMarket({ bank }: JourneyBed): Promise<void> {
  await quietPersonas(bank.database);
  await bank.control("PUT", "/clock", { now: monday.toInstant().toString() });
}

/** Creates a consent and returns its id. */
export async function lodge(
  { client }: Pick<JourneyBed, "client">,
  kind: PaymentKindId,
  initiation: object,
  data: object = {},
): Promise<string> {
  const { members: _, ...risk } = consentFrame(kind);
  const answer = await client.call<Resource>({
    path: `/v4.0/pisp/${kind}-consents`,
    token: await client.clientToken("payments"),
    body: { Data: { ...data, Initiation: initiation }, ...risk },
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.ConsentId);
}

/** Returns the text of the page that asks for approval, for an account of the given sort. */
export async function review(
  { bank, customers, client }: JourneyBed,
  consentId: string,
  { login, several = false, name }: Reviewed,
): Promise<string> {
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  const all = (await bank.customers()).find((one) => one.login === login)?.accounts ?? [];
  const { accountId } = present(
    all.find(
      (one) =>
        one.accountSubType === "CurrentAccount" &&
        one.currency === "GBP" &&
        one.signatoriesRequired > 1 === several,
    ),
    "an account",
  );
  await customer.goToApproval(login, accountId);
  const text = await customer.text();
  await picture(customer, name);
  await customer.leave();
  return text;
}

/** A page that asks for approval, and its expected texts. */
export type Page = {
  kind: string;
  lodge: () => Promise<string>;
  shows: readonly (string | RegExp)[];
  login?: string;
  several?: boolean;
};

/** Declares one test per page, which checks the page's text. */
export function testPages(bedOf: () => JourneyBed, rows: Record<string, Page>): void {
  for (const [name, row] of Object.entries(rows)) {
    const { kind, lodge: begin, shows, login = "amara", several = false } = row;
    test(`the page to approve shows ${name}`, async () => {
      const text = await review(bedOf(), await begin(), { login, several, name: kind });
      for (const shown of shows) {
        if (typeof shown === "string") assert.ok(text.includes(shown), `${shown} in ${text}`);
        else assert.match(text, shown);
      }
    });
  }
}
