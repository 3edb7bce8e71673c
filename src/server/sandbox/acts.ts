import { setTimeout as delay } from "node:timers/promises";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import { type Consent, loadConsent } from "#src/consents/consent.ts";
import { setPaused } from "#src/consents/pause-consent.ts";
import { type ConsentCourse, statusesBefore } from "#src/consents/states.ts";
import { stopConsent, whyNotStopped } from "#src/consents/stop-consent.ts";
import { expireNow } from "#src/consents/sweep-consents.ts";
import { type FireResult, fireEvent } from "#src/events/fire-event.ts";
import { byBank } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { parseAmount } from "#src/lib/money.ts";
import { countOf } from "#src/lib/plain-text.ts";
import {
  type EnginePayment,
  freePayments,
  holdPayments,
  loadEnginePayments,
  retime,
} from "#src/payments/execution/retime.ts";
import { isWaiting } from "#src/payments/order/order-states.ts";
import { loadOrder } from "#src/payments/order/payment-order.ts";
import type { VersionWords } from "#src/request-log/explain/version-words.ts";
import { failNextCode } from "#src/sandbox/bank/challenges.ts";
import { answerNow, delayAnswers, refuseNow } from "#src/sandbox/bank/provoke.ts";
import { makeStatementNow } from "#src/sandbox/bank/statement-now.ts";
import { asTester } from "#src/sandbox/bank/tester-acts.ts";
import { setAccountState } from "#src/sandbox/controls/account-states.ts";
import type { Acts } from "#src/sandbox/controls/act-rows.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { payIn } from "#src/sandbox/incomes/pay-in.ts";
import { returnPayment } from "#src/sandbox/incomes/return-due.ts";
import { eventSubjects } from "#src/server/opening/open-events.ts";
import { versionWords } from "#src/server/opening/version-words.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { findEventType } from "#src/standard/shared/events/event-types.ts";
import { customerOf, findCustomer } from "./customer-acts.ts";
import type { RequestActs } from "./request-acts.ts";

type SandboxParts = Parts & { sandbox: Sandbox };

/** Makes the acts of testers, which only the sandbox's own bank has; those on consents always. */
export function createActs(parts: SandboxParts, requests: RequestActs): Acts {
  const { database, clock } = parts;
  const ownBank = (what: string): void => {
    if (parts.sandbox.core === null) return;
    throw new SandboxRefusal(409, `Only the bank's own core can change ${what}.`);
  };
  const find = finderOf(parts, requests);
  const statusWords = versionWords(parts.kinds);
  return {
    ...orderActs(parts, statusWords, () => ownBank("payments")),
    ...consentActs(parts, statusWords),
    async setState(accountId, state) {
      ownBank("the state of accounts");
      return setAccountState({ database, clock }, accountId, state);
    },
    async payIn(accountId, { amount, name, reference }) {
      ownBank("balances");
      const account = await loadAccountFact(database, known(accountId));
      if (!account) throw new SandboxRefusal(404, `There is no account "${accountId}".`);
      if (account.status === "Deleted") throw new SandboxRefusal(409, "The account is closed.");
      const { currency } = account;
      const amountMinor = parseAmount(amount, currency);
      if (amountMinor === null || amountMinor === 0n) {
        throw new SandboxRefusal(400, `${amount} is not a valid amount of ${currency}.`);
      }
      const payer = name ?? "A Payer";
      const paid = {
        name: newId("in"),
        accountId,
        amount: { amountMinor, currency },
        type: "FPI" as const,
        information: [payer, reference].filter(Boolean).join(" "),
        reference: reference ?? null,
        payer: null,
      };
      await database.transaction((on) => payIn(on, paid, clock.now()));
      return "paid in";
    },
    async stateNow(accountId) {
      ownBank("statements");
      await parts.sandbox.surroundings.drain(); // what has fallen due belongs to it
      const made = await makeStatementNow({ database, clock }, known(accountId));
      if (made !== null) return `statement ${made}`;
      if (await loadAccountFact(database, known(accountId))) {
        throw new SandboxRefusal(409, "The account has no transaction since its last statement.");
      }
      throw new SandboxRefusal(404, `There is no account "${accountId}".`);
    },
    async failCode(login) {
      ownBank("challenges");
      const { customerId } = await customerOf(parts.sandbox, login);
      await failNextCode(database, customerId);
      return "the next code fails";
    },
    async fire(id, { type: code, change }) {
      const on = await find(id);
      if (on === null || on === "customer" || on === "request") {
        throw new SandboxRefusal(404, "There is no consent, order or account with that id.");
      }
      const objectKind = on === "payment" ? "order" : on;
      const type = code === undefined ? undefined : findEventType(code)?.name;
      const asked = { objectKind, objectId: id, type, change } as const;
      const result = await fireEvent(database, eventSubjects(parts.kinds), asked, clock.now());
      if ("refused" in result) throw new SandboxRefusal(409, noEvent[result.refused]);
      for (const one of result.fired) parts.app.log.info(one, "a tester has fired an event");
      return `${countOf(result.fired.length, "event", "events")} fired`;
    },
    decide: (authReqId, decision) => requests.decide(known(authReqId), decision),
    find,
  };
}

/** Finds out what has an id. */
const finderOf =
  ({ database, sandbox }: SandboxParts, requests: RequestActs): Acts["find"] =>
  async (id) => {
    if (await loadOrder(database, known(id))) return "payment";
    if (await loadConsent(database, known(id))) return "consent";
    if (await loadAccountFact(database, known(id))) return "account";
    if (await findCustomer(sandbox, id)) return "customer";
    return (await requests.isKnown(known(id))) ? "request" : null;
  };

const noEvent: Record<Extract<FireResult, { refused: string }>["refused"], string> = {
  "no TPP is registered":
    "No TPP that knows this object is registered for events. The TPP must create an event " +
    "subscription or a callback URL first.",
  "not subscribed":
    "The TPP has not subscribed to events of this type. Add the type to its event subscription.",
  "another object":
    "Events of this type are about other objects: those that end in Linked-Account-Update are " +
    "about an account, all others about a consent or an order.",
};

// an invalid id is treated as an unknown id
const known = (id: string): string => (/^[\w-]{1,128}$/.test(id) ? id : "");

const isUnderWay = ({ status, dueAt }: EnginePayment): boolean =>
  dueAt !== null && (isWaiting(status) || ["ACFC", "ACSP", "ACSC"].includes(status));
const isSettled = ({ status }: EnginePayment): boolean => status === "ACCC" || status === "ACWP";

// an engine holds a payment for the time of a call
const patience = { looks: 100, pauseMs: 20 };

type NewTime = { paymentId: string; at: Temporal.Instant };

/**
 * Does work on payments while no engine can work on them, and gives them the times that it returns.
 * Refuses, before anything is changed, if engines work on all of them. Of several, those that an
 * engine works on are left out.
 */
async function whileHeld(
  database: Parts["database"],
  payments: readonly EnginePayment[],
  work: (held: EnginePayment[]) => Promise<NewTime[]>,
): Promise<void> {
  const owner = newId("act");
  const held: string[] = [];
  try {
    let left = payments.map(({ paymentId }) => paymentId);
    for (let look = 0; left.length > 0 && look < patience.looks; look += 1) {
      if (look > 0) await delay(patience.pauseMs);
      const found = await holdPayments(database, left, owner);
      held.push(...found.held);
      left = found.busy;
    }
    if (held.length === 0) {
      throw new SandboxRefusal(
        409,
        "The engine works on this payment now, or asks what became of it. Try again later.",
      );
    }
    const ids = new Set(held);
    const times = await work(payments.filter(({ paymentId }) => ids.has(paymentId)));
    await retime(database, times, owner);
  } finally {
    await freePayments(database, held, owner);
  }
}

type ActParts = Pick<SandboxParts, "database" | "clock" | "engine"> & { statusWords: VersionWords };

/** Does acts on orders: lets the engine carry them out, and keeps that a tester did it. */
const performing =
  ({ database, clock, engine, statusWords }: ActParts) =>
  async (
    orderId: string,
    act: string,
    work: (at: Temporal.Instant) => Promise<void>,
  ): Promise<string> => {
    const at = clock.now();
    await asTester(database, { id: orderId, act, at }, async () => {
      await work(at);
      await engine.drain();
    });
    const order = present(await loadOrder(database, orderId), "the order");
    return statusWords.order(order, order.status);
  };

/** The acts on a payment order: they change what the bank answers, and when the engine asks it. */
function orderActs(
  { database, clock, engine }: SandboxParts,
  statusWords: VersionWords,
  refuseForCore: () => void,
): Pick<Acts, "advance" | "refuse" | "delay" | "giveBack"> {
  /** The payments of an order for which the act is legal. */
  async function paymentsOf(
    orderId: string,
    isLegal: (payment: EnginePayment) => boolean,
    words: string,
  ): Promise<EnginePayment[]> {
    refuseForCore();
    const order = await loadOrder(database, known(orderId));
    if (!order) throw new SandboxRefusal(404, "There is no order with that id.");
    const all = await loadEnginePayments(database, orderId);
    const legal = all.filter(isLegal);
    if (legal.length > 0) return legal;
    const statuses = new Set(all.map(({ status }) => statusWords.order(order, status)));
    throw new SandboxRefusal(409, `The payment is ${[...statuses].join(", ")}. ${words}`);
  }
  const perform = performing({ database, clock, engine, statusWords });
  const idsOf = (payments: readonly EnginePayment[]) => payments.map(({ paymentId }) => paymentId);
  const dueNow = (payments: readonly EnginePayment[]): NewTime[] =>
    idsOf(payments).map((paymentId) => ({ paymentId, at: clock.now() }));
  return {
    async advance(orderId) {
      const payments = await paymentsOf(orderId, isUnderWay, words.underWay);
      return perform(orderId, "advance", (at) =>
        whileHeld(database, payments, async (held) => {
          await answerNow(database, idsOf(held), at);
          return dueNow(held);
        }),
      );
    },
    async refuse(orderId, code) {
      const payments = await paymentsOf(orderId, isUnderWay, words.notSettled);
      return perform(orderId, "refuse", () =>
        whileHeld(database, payments, async (held) => {
          const instructions = held.map(({ instruction }) => instruction);
          await refuseNow({ database, clock }, instructions, code);
          return dueNow(held);
        }),
      );
    },
    async delay(orderId, by) {
      const payments = await paymentsOf(orderId, isUnderWay, words.underWay);
      return perform(orderId, "delay", () =>
        whileHeld(database, payments, async (held) => {
          const times = await delayAnswers(database, idsOf(held), by);
          const dated = held.flatMap(({ paymentId, status, dueAt }) =>
            isWaiting(status) && dueAt ? [{ paymentId, at: dueAt.add(by) }] : [],
          );
          if (times.length + dated.length > 0) return [...times, ...dated];
          throw new SandboxRefusal(409, "Nobody will answer this payment, so it cannot be later.");
        }),
      );
    },
    async giveBack(orderId, code) {
      const payments = await paymentsOf(orderId, isSettled, words.settled);
      return perform(orderId, "return", async (at) => {
        const returned = await database.transaction(async (on) => {
          const made: (string | null)[] = [];
          for (const { paymentId } of payments) {
            made.push(await returnPayment(on, paymentId, code, at));
          }
          return made;
        });
        if (returned.every((transaction) => transaction === null)) {
          throw new SandboxRefusal(409, "The payment has been returned already.");
        }
      });
    },
  };
}

const words = {
  underWay:
    "Only a payment that waits for its date, for a review or for the scheme's answer can be " +
    "changed. An order that awaits signatures is signed first.",
  notSettled: "Only a payment that is not settled can be refused: return a settled one.",
  settled: "Only a settled payment can be returned: refuse one that is not settled.",
};

/** The acts on a consent. */
function consentActs(
  { database, clock, consentKinds }: SandboxParts,
  statusWords: VersionWords,
): Pick<Acts, "revoke" | "expire" | "pause"> {
  // v3.1 calls a consent Authorised that has ended: then our own code says more
  const word = (consent: Consent, status: string): string => {
    const said = statusWords.consent(consent, status);
    const isUnsaid = status !== "AUTH" && said === statusWords.consent(consent, "AUTH");
    return isUnsaid ? status : said;
  };
  async function found(consentId: string): Promise<{ consent: Consent; course: ConsentCourse }> {
    const consent = await loadConsent(database, known(consentId));
    if (!consent) throw new SandboxRefusal(404, "There is no consent with that id.");
    const kind = consentKinds.find(({ id }) => id === consent.kind);
    return { consent, course: present(kind, consent.kind).course };
  }
  return {
    async revoke(consentId) {
      const { consent, course } = await found(consentId);
      const stop = { by: "customer" } as const;
      if (await stopConsent(database, consent, course, stop, clock.now())) {
        return word(consent, "CANC");
      }
      const own = (status: string) => word(consent, status);
      throw new SandboxRefusal(409, whyNotStopped(consent, course, own));
    },
    async expire(consentId) {
      const { consent, course } = await found(consentId);
      if (await expireNow(database, consent, course, byBank(clock.now()))) {
        return word(consent, "EXPD");
      }
      throw new SandboxRefusal(
        409,
        statusesBefore(course, "expire").length === 0
          ? `A consent of the kind ${consent.kind} is used once and does not expire.`
          : consent.status === "AWAU"
            ? "This consent has not been authorised, so this act cannot expire it."
            : `The consent is ${word(consent, consent.status)}. Only an authorised consent expires.`,
      );
    },
    async pause(consentId, isPaused) {
      const { consent, course } = await found(consentId);
      if (!course.mayPause) {
        throw new SandboxRefusal(409, "Only variable recurring payments can be suspended.");
      }
      if (!(await setPaused(database, consent, isPaused, byBank(clock.now())))) {
        const state = consent.pausedAt === null ? "not suspended" : "suspended";
        const status = word(consent, consent.status);
        throw new SandboxRefusal(409, `The consent is ${status} and ${state}.`);
      }
      return isPaused ? "suspended" : "resumed";
    },
  };
}
