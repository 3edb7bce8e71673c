import { describeAccount, findOwnedFact } from "#src/account-store/describe-account.ts";
import { listClientsOf, loadClient } from "#src/clients/client-record.ts";
import { consentOfGrant, loadConsent } from "#src/consents/consent.ts";
import { listConsentsOfAccount } from "#src/consents/consents-of-account.ts";
import {
  listEventsAbout,
  loadEvent,
  loadSubscription,
  type ShownEvent,
} from "#src/events/stored-events.ts";
import type { Operation } from "#src/http/operation.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { type ExplainedKind, explainConsent } from "./explain/explain-consent.ts";
import {
  type BackchannelFacts,
  explainAccount,
  explainBackchannel,
  explainClients,
  explainEvent,
  explainFact,
  explainSubscription,
} from "./explain/explain-object.ts";
import { explainOrder, type OrderFacts } from "./explain/explain-order.ts";
import { explainRequest, isRefused } from "./explain/explain-request.ts";
import type { Explanation } from "./explain/explanation.ts";
import type { TesterAct } from "./explain/history-line.ts";
import { loadSigningFacts } from "./explain/signing-facts.ts";
import { inWords, type VersionWords } from "./explain/version-words.ts";
import { readFilter } from "./filter.ts";
import { type FoundRequest, findEntries, findRequest, type LogFilter } from "./find-requests.ts";
import type { RequestLog } from "./request-log.ts";
import {
  checksOf,
  type EndpointChecks,
  keyOf,
  type ShownEntry,
  type ShownRequest,
  showEntry,
} from "./shown-request.ts";

/** A posting of the ledger that an order caused. */
type LedgerLine = {
  at: string;
  purpose: string;
  debitAccountId: string;
  creditAccountId: string;
  amount: string;
  currency: string;
};

/** What the log asks other parts of the bank for. */
type LogSources = {
  database: Database;
  log: Pick<RequestLog, "flush">;
  operations: readonly Operation[];
  endpointChecks: EndpointChecks;
  /** An order; null if there is none with this id. */
  loadOrder(orderId: string): Promise<OrderFacts | null>;
  /** The postings of an order; empty with a core whose ledger is elsewhere. */
  listLedgerLines(orderId: string): Promise<LedgerLine[]>;
  /** What testers have done to a consent or an order; empty with a core of the bank's own. */
  listTesterActs(id: string): Promise<TesterAct[]>;
  /** A request for an approval without a browser, by its auth_req_id; null if there is none. */
  findBackchannelRequest(authReqId: string): Promise<BackchannelFacts | null>;
  kinds: readonly ExplainedKind[];
  /** The client of the bank's own channel in a sandbox, which is no TPP. */
  ownChannelId: string;
  /** The bank's clock. */
  clock: Clock;
  /** The values that `tan` of a signature may have. */
  trustAnchors: readonly string[];
  /** The words of each version of the APIs. */
  words: VersionWords;
};

/** What a request is about, as it stands now. */
type LinkedObjects = {
  consent: { consentId: string; kind: string; status: string } | null;
  order: { orderId: string; kind: string; status: string } | null;
  events: ShownEvent[];
  ledger: LedgerLine[];
};

/** The log as its readers use it: the sandbox's interface, its pages, and operators. */
export type LogReader = {
  /**
   * Finds requests, the newest first. `next` is what `before` needs for older ones, or null.
   * `latest` is what `after` needs for those that the log takes from now on.
   */
  list(
    filter: Readonly<Record<string, unknown>>,
  ): Promise<{ requests: ShownEntry[]; next: string | null; latest: string }>;
  /** One request by its interaction id or its id in the log; null if the log does not have it. */
  show(id: string): Promise<(ShownRequest & { linked: LinkedObjects }) | null>;
  /**
   * Explains an id of the wire (explain/wire-ids.ts) or of a grant; null if nothing has this id, or
   * the log does not have the request any more.
   */
  explain(id: string): Promise<Explanation | null>;
};

/** Makes the reader of the log. */
export function createLogReader(sources: LogSources): LogReader {
  const { database, log, words } = sources;
  return {
    async list(filter) {
      const wanted = readFilter(filter, words);
      const { entries, hasMore, latest } = await findEntries(database, log, wanted);
      const next = hasMore ? (entries.at(-1)?.logId ?? null) : null;
      return { requests: entries.map((entry) => showEntry(inWords(entry, words))), next, latest };
    },
    async show(id) {
      const found = await findRequest(database, log, id);
      return found && { ...describe(found, sources), linked: await link(sources, found) };
    },
    explain: (id) => explain(sources, id),
  };
}

async function explain(sources: LogSources, id: string): Promise<Explanation | null> {
  const { database, log, trustAnchors, words } = sources;
  const newest = await findRequest(database, log, id);
  if (newest) {
    const found = await mostTelling(sources, id, newest);
    const { entry, bodies } = found;
    const { clientId, logId } = entry;
    const first = found.firstWithKey?.logId === logId ? null : found.firstWithKey;
    const at = Temporal.Instant.fromEpochMilliseconds(entry.at);
    const signing = clientId === null ? null : await loadSigningFacts(database, clientId, at);
    const refused = checksOf(entry, sources).find(({ result }) => result === "refused");
    const refusedBy = refused?.name ?? null;
    const sameInteraction = found.sameInteraction.map((one) => inWords(one, words));
    const others = { sameInteraction, firstWithKey: first && inWords(first, words) };
    return explainRequest({ entry, bodies, refusedBy, signing, trustAnchors, words, ...others });
  }
  const order = await sources.loadOrder(id);
  if (order) {
    const postings = await sources.listLedgerLines(id);
    const returned = postings.filter(({ purpose }) => purpose === "return");
    const acts = await sources.listTesterActs(id);
    return explainOrder(database, id, order, { returned, acts, kinds: sources.kinds, words });
  }
  const consentId = (await consentOfGrant(database, id))?.consentId ?? id;
  return (await ofConsent(sources, consentId)) ?? (await ofOthers(sources, id));
}

/** Of the requests with one interaction id, the newest that was rejected, or else the newest. */
async function mostTelling({ database, log }: LogSources, id: string, newest: FoundRequest) {
  if (id === newest.entry.logId || isRefused(newest.entry)) return newest;
  const refused = newest.sameInteraction.find(isRefused);
  return (refused && (await findRequest(database, log, refused.logId))) ?? newest;
}

const ofConsent = async (sources: LogSources, consentId: string) =>
  explainConsent(sources.database, consentId, {
    now: sources.clock.now(),
    acts: await sources.listTesterActs(consentId),
    kinds: sources.kinds,
    words: sources.words,
    whyGrantEnded: (interactionId) => whyGrantEnded(sources, interactionId),
  });

/** The requests of a TPP that end a grant, by what the log knows of them. */
const grantEnders: readonly { known: Pick<LogFilter, "codes" | "path">; why: string }[] = [
  { known: { codes: ["codeReplayed"] }, why: "its code was used a second time" },
  { known: { path: "/token/revocation" }, why: "its refresh token was revoked" },
];

async function whyGrantEnded({ database, log }: LogSources, interactionId: string) {
  for (const { known, why } of grantEnders) {
    const { entries } = await findEntries(database, log, { interactionId, ...known, limit: 1 });
    if (entries.length > 0) return why;
  }
  return "of a request that the log does not have any more";
}

const refusedShown = 3;

/** Explains what is neither a request nor a consent nor an order; null if nothing has this id. */
async function ofOthers(sources: LogSources, id: string): Promise<Explanation | null> {
  const { database, log, words } = sources;
  const account = await describeAccount(database, id);
  if (account) {
    const filter = { path: `/accounts/${id}`, status: "4xx", limit: refusedShown };
    const { entries } = await findEntries(database, log, filter);
    const consents = await listConsentsOfAccount(database, id, sources.ownChannelId);
    const refused = entries.map((entry) => inWords(entry, words));
    return explainAccount(account, consents, refused, { now: sources.clock.now(), words });
  }
  const request = await sources.findBackchannelRequest(id);
  if (request) return explainBackchannel(id, request, await ofConsent(sources, request.consentId));
  const client = await loadClient(database, id);
  if (client) return explainClients(id, "client", [client]);
  const clients = await listClientsOf(database, id);
  if (clients.length > 0) return explainClients(id, "software", clients);
  const event = await loadEvent(database, id);
  if (event) return explainEvent(event);
  const subscription = await loadSubscription(database, id);
  if (subscription) return explainSubscription(subscription);
  const fact = await findOwnedFact(database, id);
  return fact ? explainFact(id, fact) : null;
}

function describe(found: FoundRequest, { words, ...served }: LogSources): ShownRequest {
  const { entry, bodies, sameInteraction, firstWithKey } = found;
  return {
    ...showEntry(inWords(entry, words)),
    checks: checksOf(entry, served),
    idempotency: keyOf(entry, firstWithKey),
    bodies,
    sameInteraction: sameInteraction.map((one) => showEntry(inWords(one, words))),
  };
}

async function link(
  { database, loadOrder, listLedgerLines, words }: LogSources,
  { entry: { clientId, consentId, resourceId } }: FoundRequest,
): Promise<LinkedObjects> {
  const consent = consentId === null ? null : await loadConsent(database, consentId);
  const order = resourceId === null ? null : await loadOrder(resourceId);
  const ids = [consentId, resourceId].filter((id) => id !== null);
  return {
    consent: consent
      ? {
          consentId: consent.consentId,
          kind: consent.kind,
          status: words.consent(consent, consent.status),
        }
      : null,
    order:
      order && resourceId !== null
        ? { orderId: resourceId, kind: order.kind, status: words.order(order, order.status) }
        : null,
    events: clientId === null ? [] : await listEventsAbout(database, clientId, ids),
    ledger: order && resourceId !== null ? await listLedgerLines(resourceId) : [],
  };
}
