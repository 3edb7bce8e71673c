import { setTimeout as delay } from "node:timers/promises";
import { type Bank, BankError, type PaymentOutcome, type ReceivedPayment } from "#src/bank/port.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { isUsedUpByOrder, statusesBefore, usedOnce } from "#src/consents/states.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { type PaymentStatus, waitingStatuses } from "#src/payments/order/order-states.ts";
import { usedAs } from "#src/payments/order/order-use.ts";
import { derivedId } from "#src/payments/order/payment-order.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// How Aldgate's payments are compared with the core's, above all after a restore. The core is asked
// about each payment that has changed since a time or has not ended. Ids are derived, so it is also
// asked about payments that Aldgate has lost: of consents without an order, and the next ones of
// schedules. Payments under lost consents, and those within limits, are found only if the core
// lists its payments.

/** A payment on which Aldgate and the core disagree. */
export type CoreDifference = {
  paymentId: string;
  /** The order, or the consent if Aldgate has no order; null if Aldgate has neither. */
  about: { orderId: string } | { consentId: string } | null;
  /** Aldgate's status; null if Aldgate does not have the payment. */
  status: PaymentStatus | null;
  /** The core's state; `received` if it was only listed. */
  core: PaymentOutcome["state"] | "received";
  /**
   * Who resolves it. `engine`: Aldgate asks the core by itself. `tpp`: the TPP repeats its order.
   * `signatories`: they approve the order again. `operator`: nobody else.
   */
  resolvedBy: "engine" | "tpp" | "signatories" | "operator";
};

/** The result of a comparison. */
export type Reconciliation = {
  /** How many payments of Aldgate were compared. */
  compared: number;
  /** How many consents without an order were checked. */
  consents: number;
  /** How many payments the core has listed; null if it does not list payments. */
  listed: number | null;
  differences: CoreDifference[];
};

type ReconcileDeps = {
  database: Queryable;
  bank: Bank;
  kinds: readonly PaymentKind[];
  onProgress(text: string): void;
  /** How long to wait before differences are looked at again, because payments are being made. */
  pauseMs?: number;
};

const perSlice = 512;
const perCall = 64;
const looks = 3;

const ended: readonly PaymentStatus[] = ["ACCC", "ACWP", "BLCK", "RJCT", "CANC"];

/** The statuses of Aldgate that agree with each state of the core. */
const agreeing: Record<PaymentOutcome["state"], readonly PaymentStatus[]> = {
  unknown: [...waitingStatuses, "RJCT", "CANC"],
  reserved: ["ACFC"],
  held: ["ACFC"],
  refused: ["RJCT", "CANC"],
  returned: ["RJCT"],
  pending: ["ACSP", "ACWC", "ACSC"],
  settled: ["ACCC", "ACWP", "BLCK"],
  failed: [],
};

type Own = {
  paymentId: string;
  orderId: string;
  status: PaymentStatus;
  isDue: boolean;
  isScheduled: boolean;
};

type Found = Own & { core: PaymentOutcome["state"] };

/** Compares the payments since a time with the core's. It changes nothing. */
export async function reconcile(
  deps: ReconcileDeps,
  since: Temporal.Instant,
): Promise<Reconciliation> {
  const own = await compareOwn(deps, since);
  const lost = await findLost(deps, own.behind);
  const listed = await compareListed(deps, since);
  const known = new Set(lost.differences.map(({ paymentId }) => paymentId));
  return {
    compared: own.compared,
    consents: lost.consents,
    listed: listed?.count ?? null,
    differences: [
      ...(await lookAgain(deps, own.found)).map(ofOwn),
      ...(await withoutStored(deps, lost.differences)),
      ...(listed?.unknown ?? []).filter(({ paymentId }) => !known.has(paymentId)),
    ],
  };
}

/** Asks the core about any number of payments. */
async function ask({ bank }: ReconcileDeps, ids: readonly string[]) {
  const outcomes: PaymentOutcome[] = [];
  for (let at = 0; at < ids.length; at += perCall) {
    outcomes.push(...(await bank.ask(ids.slice(at, at + perCall))));
  }
  return outcomes;
}

const ownColumns = sql`
  payment_id as "paymentId", order_id as "orderId", status, due_at is not null as "isDue",
  scheduled_on is not null as "isScheduled"`;

async function compareOwn(deps: ReconcileDeps, since: Temporal.Instant) {
  const found: Found[] = [];
  // scheduled payments that the core has made already: it may have made the next ones too
  const behind: Found[] = [];
  let compared = 0;
  for (let after = ""; ; ) {
    deps.onProgress(`Comparing payments: ${compared}`);
    const rows = await deps.database.query<Own>(sql`
      select ${ownColumns} from payment
      where payment_id > ${after} and (created_at >= ${since} or status_updated_at >= ${since}
        or status <> all(${[...ended]}::text[]))
      order by payment_id limit ${perSlice}`);
    const compare = await withOutcomes(deps, rows);
    found.push(...compare.filter(isDifferent));
    behind.push(
      ...compare.filter((one) => one.isScheduled && isDifferent(one) && one.core !== "unknown"),
    );
    compared += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < perSlice) return { compared, found, behind };
    after = last.paymentId;
  }
}

async function withOutcomes(deps: ReconcileDeps, rows: readonly Own[]): Promise<Found[]> {
  const outcomes = await ask(
    deps,
    rows.map(({ paymentId }) => paymentId),
  );
  return rows.map((row, index) => ({ ...row, core: outcomes[index]?.state ?? "failed" }));
}

const isDifferent = ({ core, status }: Found): boolean => !agreeing[core].includes(status);

/** Looks again at payments that differed: the bank may be about to make them. */
async function lookAgain(deps: ReconcileDeps, found: readonly Found[]): Promise<Found[]> {
  let left = [...found];
  for (let look = 1; look < looks && left.some(({ isDue }) => isDue); look++) {
    await delay(deps.pauseMs ?? 1000);
    const ids = left.map(({ paymentId }) => paymentId);
    const rows = await deps.database.query<Own>(sql`
      select ${ownColumns} from payment where payment_id = any(${ids}::text[])`);
    left = (await withOutcomes(deps, rows)).filter(isDifferent);
  }
  return left;
}

const ofOwn = ({ paymentId, orderId, status, isDue, core }: Found): CoreDifference => ({
  paymentId,
  about: { orderId },
  status,
  core,
  resolvedBy: isDue ? "engine" : waitingStatuses.includes(status) ? "signatories" : "operator",
});

/** Finds payments that the core knows and whose ids follow from what Aldgate has. */
async function findLost(deps: ReconcileDeps, behind: readonly Found[]) {
  const differences: CoreDifference[] = [];
  for (const { orderId, paymentId } of behind) {
    const next = chainAfter(paymentId);
    const lost = { about: { orderId }, status: null, resolvedBy: "engine" } as const;
    for (const made of await walk(deps, next)) differences.push({ ...lost, ...made });
  }
  const kinds = deps.kinds.filter(({ consent }) => isUsedUpByOrder(consent));
  let consents = 0;
  for (let after = ""; ; ) {
    deps.onProgress(`Checking consents without an order: ${consents}`);
    const rows = await openConsents(deps, kinds, after);
    const idOf = ({ consentId, kind }: OpenConsent) => idsOf(kinds, kind, consentId);
    const outcomes = await ask(
      deps,
      rows.map((row) => idOf(row).next()),
    );
    for (const [index, row] of rows.entries()) {
      if (outcomes[index]?.state === "unknown") continue;
      const { consentId } = row;
      const lost = { about: { consentId }, status: null, resolvedBy: "tpp" } as const;
      for (const made of await walk(deps, idOf(row))) differences.push({ ...lost, ...made });
    }
    consents += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < perSlice) return { consents, differences };
    after = last.consentId;
  }
}

type OpenConsent = { consentId: string; kind: string };

/** Consents that an order may have used, as far as Aldgate knows. */
function openConsents(
  { database }: ReconcileDeps,
  kinds: readonly PaymentKind[],
  after: string,
): Promise<OpenConsent[]> {
  const courses = kinds.map(({ consent }) => consent);
  const events = ["upload", "authorise", "consume"] as const;
  const open = courses.flatMap((course) => events.flatMap((one) => statusesBefore(course, one)));
  return database.query<OpenConsent>(sql`
    select c.consent_id as "consentId", c.kind from ${consentFacts} c
    where c.consent_id > ${after} and c.kind = any(${kinds.map(({ id }) => id)}::text[])
      and c.status = any(${[...new Set(open)]}::text[])
      and not exists (select from payment_order o
        where o.consent_id = c.consent_id and ${usedAs(usedOnce, sql`o.consent_use`)})
    order by c.consent_id limit ${perSlice}`);
}

/** Gives the ids of payments, one after the other. */
type Ids = { next(): string };

/** The ids of the payments of a consent that an order uses up. */
function idsOf(kinds: readonly PaymentKind[], kind: string, consentId: string): Ids {
  const lineOrigin = kinds.find(({ id }) => id === kind)?.shape.lineOrigin;
  if (!lineOrigin) return startingWith(derivedId("pay", { of: "consent", consentId }));
  let line = 0;
  return {
    next() {
      line += 1;
      return derivedId("pay", lineOrigin(consentId, line));
    },
  };
}

const chainAfter = (paymentId: string): Ids =>
  startingWith(derivedId("pay", { of: "payment", paymentId }));

function startingWith(first: string): Ids {
  let following = first;
  return {
    next() {
      const paymentId = following;
      following = derivedId("pay", { of: "payment", paymentId });
      return paymentId;
    },
  };
}

/** Lists the payments that the core knows, up to the first that it does not know. */
async function walk(deps: ReconcileDeps, ids: Ids) {
  const made: Pick<CoreDifference, "paymentId" | "core">[] = [];
  for (;;) {
    const asked = Array.from({ length: perCall }, () => ids.next());
    const outcomes = await ask(deps, asked);
    for (const [index, paymentId] of asked.entries()) {
      const core = outcomes[index]?.state ?? "failed";
      if (core === "unknown") return made;
      made.push({ paymentId, core });
    }
  }
}

async function compareListed(deps: ReconcileDeps, since: Temporal.Instant) {
  const { bank } = deps;
  if (!bank.listPayments) return null;
  let count = 0;
  const unknown: CoreDifference[] = [];
  for (let after: string | null = null; ; ) {
    deps.onProgress(`Comparing payments that the core lists: ${count}`);
    const page: ReceivedPayment[] = await bank.listPayments(since, after);
    const differences = page.map(({ paymentId }): CoreDifference => {
      return { paymentId, about: null, status: null, core: "received", resolvedBy: "operator" };
    });
    unknown.push(...(await withoutStored(deps, differences)));
    count += page.length;
    const last = page.at(-1);
    if (!last) return { count, unknown };
    if (last.paymentId === after) {
      const what = "listPayments ends a page with the id after which it was asked";
      throw new BankError(
        "unknown",
        `${what}, so the list would never end: ${after.slice(0, 100)}`,
      );
    }
    after = last.paymentId;
  }
}

/** Leaves out the payments that Aldgate has, some of them since a moment ago. */
async function withoutStored(
  { database }: ReconcileDeps,
  differences: readonly CoreDifference[],
): Promise<CoreDifference[]> {
  if (differences.length === 0) return [];
  const ids = differences.map(({ paymentId }) => paymentId);
  const rows = await database.query<{ paymentId: string }>(sql`
    select payment_id as "paymentId" from payment where payment_id = any(${ids}::text[])`);
  const stored = new Set(rows.map(({ paymentId }) => paymentId));
  return differences.filter(({ paymentId }) => !stored.has(paymentId));
}
