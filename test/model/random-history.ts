import type { Call, Ending, OperationName, Operations } from "./calls.ts";
import { monthly, opening, type PlantedFault, ReferenceBank } from "./reference-bank.ts";

type Draw = { below(limit: number): number; chance(probability: number): boolean };

const startsAt = Temporal.Instant.from("2027-03-01T00:00:00Z").epochMilliseconds;
const hour = 3_600_000;
const clients = ["tpp-1", "tpp-2"];
const lanesOfClient = 4;
const callsOfLane = 60;

/** What a client knows of its consents, orders and events. */
type Known = {
  undecided: { consentId: string; use: string }[];
  payable: { consentId: string; isLimited: boolean }[];
  tokens: string[];
  access: string[];
  /** Approved consents, and the codes that the customer came back with. */
  codes: { code: string; consentId: string }[];
  orders: string[];
  received: string[];
  /** Orders without an answer, which are sent again. */
  unanswered: Operations["order"]["asked"][];
};

type Plan<Name extends OperationName = OperationName> = {
  operation: Name;
  asked: Operations[Name]["asked"];
  /** What the bank does at one moment of the call. */
  act(at: string): Ending<Name>;
  /** What the client learns from the answer. */
  learn?(ending: Ending<Name>): void;
};

/**
 * Records a random history of the reference bank: several clients, each with several calls at a
 * time. The bank acts at some moment of each call. Some requests and some answers are lost, and the
 * bank acts on some requests when their clients wait no more.
 */
export function randomHistory(draw: Draw, fault: PlantedFault | null = null): Call[] {
  const bank = new ReferenceBank(fault, (limit) => draw.below(limit));
  const calls: Call[] = [];
  const queue: { at: number; act(): void }[] = [];
  const schedule = (at: number, act: () => void) => void queue.push({ at, act });
  let now = startsAt;

  function send(client: string, plan: Plan, whenDone: () => void): void {
    const start = now;
    const point = start + 1 + draw.below(hour);
    const fate = draw.below(20);
    const lines = [calls.length + 1];
    const call = { operation: plan.operation, client, asked: plan.asked, start, lines };
    const note = (ending: Ending<OperationName>, end: number) =>
      void calls.push({ ...call, end, ...ending } as Call);
    const acts = () => plan.act(Temporal.Instant.fromEpochMilliseconds(now).toString());
    if (fate > 1) {
      schedule(point, () => {
        const ending = acts();
        schedule(now + 1 + draw.below(hour), () => {
          note(ending, now);
          plan.learn?.(ending as never); // the ending of this operation
          whenDone();
        });
      });
      return;
    }
    note({ outcome: "unknown" }, Infinity);
    if (plan.operation === "order") known(client).unanswered.push(plan.asked as never);
    // a lost request, a lost answer, or a request that is acted on later
    if (fate > 0) schedule(draw.chance(0.5) ? point : point + 3 * hour, acts);
    schedule(point + draw.below(hour), whenDone);
  }

  const all = new Map<string, Known>();
  const known = (client: string): Known => {
    const empty = { undecided: [], payable: [], tokens: [], access: [], codes: [], orders: [] };
    const found = all.get(client) ?? { ...empty, received: [], unanswered: [] };
    all.set(client, found);
    return found;
  };

  function lane(client: string, name: string, left: number): void {
    if (left === 0) return;
    const at = Temporal.Instant.fromEpochMilliseconds(now).toString();
    const choosing = { client, known: known(client), draw, name: `${name}-${left}`, now: at };
    const plan = choose(bank, choosing);
    const next = () => schedule(now + 1 + draw.below(hour), () => lane(client, name, left - 1));
    if (plan) send(client, plan, next);
    else next();
  }

  const run = () => {
    while (queue.length > 0) {
      const next = queue.reduce((first, one) => (one.at < first.at ? one : first));
      queue.splice(queue.indexOf(next), 1);
      now = Math.max(now + 1, next.at);
      next.act();
    }
  };
  const note = <Name extends OperationName>(
    client: string,
    operation: Name,
    asked: Operations[Name]["asked"],
    told: Operations[Name]["told"],
  ) => {
    now += 2;
    const rest = { lines: [calls.length + 1], outcome: "ok", told };
    calls.push({ operation, client, asked, start: now, end: now + 1, ...rest } as Call);
  };

  for (const client of clients) {
    note(client, "subscribe", {}, {});
    for (let n = 0; n < lanesOfClient; n += 1) lane(client, `${client}-${n}`, callsOfLane);
  }
  for (let n = 0; n < 500; n += 1) {
    schedule(startsAt + draw.below(callsOfLane * 2 * hour), () => bank.work(now));
  }
  run();
  while (bank.orders.some(({ status }) => !["ACCC", "RJCT"].includes(status))) bank.work(now);
  for (const client of clients) finish(bank, client, note);
  return calls.sort((one, other) => one.start - other.start);
}

type Note = <Name extends OperationName>(
  client: string,
  operation: Name,
  asked: Operations[Name]["asked"],
  told: Operations[Name]["told"],
) => void;

/** Receives what is left, and reads the books. */
function finish(bank: ReferenceBank, client: string, note: Note): void {
  let settles: Operations["poll"]["asked"]["settles"] = {};
  for (let tries = 0; tries < 40; tries += 1) {
    const polled = bank.poll(client, settles);
    if (polled.outcome !== "ok") break;
    note(client, "poll", { settles }, polled.told);
    settles = Object.fromEntries(polled.told.events.map(({ jti }) => [jti, "accepted" as const]));
  }
  const ofClient = <T extends { client: string }>(from: readonly T[]) =>
    from.filter((one) => one.client === client);
  const orders = ofClient(bank.orders);
  note(client, "keptOrders", {}, { orders });
  const others = new Set(
    bank.orders.filter((one) => one.client !== client).flatMap(({ payments }) => payments),
  );
  const movements = bank.movements.filter(({ paymentId }) => !others.has(paymentId));
  note(client, "books", {}, { movements, held: [] });
  note(client, "keptOrders", {}, { orders });
  const entries = bank.movements.map(({ amount }) => -amount);
  note(client, "account", { accountId: "a" }, { opening, entries, closing: bank.closing() });
  note(client, "keptEvents", {}, { events: ofClient(bank.events) });
}

type Choosing = { client: string; known: Known; draw: Draw; name: string; now: string };

/** Chooses what a client does next. */
function choose(bank: ReferenceBank, choosing: Choosing): Plan | null {
  const chooser = drawn[choosing.draw.below(drawn.length)];
  return (chooser?.(bank, choosing) ?? null) as Plan | null; // each is a plan of its operation
}

type Chooser<Name extends OperationName> = (
  bank: ReferenceBank,
  choosing: Choosing,
) => Plan<Name> | null;

const pick = <T>(from: readonly T[], { below }: Draw): T | undefined =>
  from.length === 0 ? undefined : from[below(from.length)];

const lodging: Chooser<"lodge"> = (bank, { client, known, draw }) => {
  const use = (["once", "within limits", "never"] as const)[draw.below(3)] ?? "once";
  const limits = { single: null, periods: [monthly], from: null, to: null };
  const asked = { kind: use, use, amount: use === "once" ? 300 : null };
  return {
    operation: "lodge",
    asked: { ...asked, limits: use === "within limits" ? limits : null },
    act: (at) => bank.lodge(client, use, at),
    learn(ending) {
      if (ending.outcome !== "ok") return;
      known.undecided.push({ consentId: ending.told.consentId, use });
    },
  };
};

const deciding: Chooser<"decide"> = (bank, { known, draw, name }) => {
  const found = known.undecided.shift();
  if (!found) return null;
  const { consentId, use } = found;
  const approves = draw.chance(0.9);
  return {
    operation: "decide",
    asked: { consentId, approves },
    act: () => bank.decide(consentId, approves),
    learn(ending) {
      // an order without an approval is refused, which some clients try
      if (ending.outcome === "refused" || (!approves && draw.chance(0.5))) return;
      known.codes.push({ code: name, consentId });
      if (use === "never") known.access.push(consentId);
      else known.payable.push({ consentId, isLimited: use === "within limits" });
    },
  };
};

const exchanging: Chooser<"token"> = (bank, { known, draw }) => {
  const found = pick(known.codes, draw);
  return found === undefined
    ? null
    : {
        operation: "token",
        asked: { grant: "authorization_code", by: found.code },
        act: () => bank.token(found.code, found.consentId),
        learn(ending) {
          if (ending.outcome === "ok") known.tokens.push(ending.told.token);
        },
      };
};

const ordering: Chooser<"order"> = (bank, { client, known, draw, name, now }) => {
  const again = draw.chance(0.5) ? known.unanswered.shift() : undefined;
  const found = pick(known.payable.slice(-4), draw);
  if (!again && !found) return null;
  const { consentId = "", isLimited = false } = found ?? {};
  const amount = isLimited ? 100 + draw.below(900) : 300;
  const asked = again ?? { kind: "any", consentId, key: name, amount, token: null };
  // what a bank without a lock would go by
  const leftBefore = bank.left(asked.consentId, now);
  return {
    operation: "order",
    asked,
    act: (at) => bank.order(client, asked, at, leftBefore),
    learn(ending) {
      if (ending.outcome === "ok") known.orders.push(ending.told.orderId);
      // the same request once more, as a client does that has lost an answer
      if (ending.outcome === "ok" && draw.chance(0.2)) known.unanswered.push(asked);
    },
  };
};

const readingOrder: Chooser<"readOrder"> = (bank, { known, draw }) => {
  const orderId = pick(known.orders.slice(-5), draw);
  if (orderId === undefined) return null;
  return {
    operation: "readOrder",
    asked: { orderId, token: null },
    act: () => bank.readOrder(orderId),
  };
};

const readingConsent: Chooser<"readConsent"> = (bank, { known, draw }) => {
  const consentId = pick(known.payable, draw)?.consentId;
  if (consentId === undefined) return null;
  const asked = { consentId, token: null };
  return { operation: "readConsent", asked, act: () => bank.readConsent(consentId) };
};

const readingData: Chooser<"readData"> = (bank, { known, draw }) => {
  const token = pick(known.tokens, draw);
  if (token === undefined) return null;
  return {
    operation: "readData",
    asked: { resource: "/accounts", token },
    act: () => bank.readData(token),
  };
};

const revoking: Chooser<"revoke"> = (bank, { known, draw }) => {
  const limited = known.payable.filter(({ isLimited }) => isLimited).slice(0, -1);
  const ids = [...known.access.slice(0, -1), ...limited.map((one) => one.consentId)];
  const consentId = pick(ids, draw);
  if (consentId === undefined) return null;
  return { operation: "revoke", asked: { consentId }, act: () => bank.revoke(consentId) };
};

const polling: Chooser<"poll"> = (bank, { client, known }) => {
  const settles = Object.fromEntries(
    known.received.splice(0).map((jti) => [jti, "accepted" as const]),
  );
  return {
    operation: "poll",
    asked: { settles },
    act: () => bank.poll(client, settles),
    learn(ending) {
      if (ending.outcome !== "ok") return;
      known.received.push(...ending.told.events.map(({ jti }) => jti));
    },
  };
};

const drawn: readonly Chooser<never>[] = [
  lodging,
  deciding,
  deciding,
  exchanging,
  ordering,
  ordering,
  ordering,
  readingOrder,
  readingOrder,
  readingOrder,
  readingConsent,
  readingData,
  readingData,
  revoking,
  polling,
] as unknown as readonly Chooser<never>[];
