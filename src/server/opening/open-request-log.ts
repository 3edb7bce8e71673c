import type { FastifyBaseLogger } from "fastify";
import { findRequest } from "#src/auth/journey/backchannel-rows.ts";
import { clockNote, type MovedClock } from "#src/auth/provider/clock-note.ts";
import { endpointChecks as checksOfAuthorization } from "#src/auth/provider/endpoint-checks.ts";
import type { Config } from "#src/config/config.ts";
import { isUsedUpByOrder } from "#src/consents/states.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Operation } from "#src/http/operation.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { describedKind } from "#src/payments/consent/journey-kinds.ts";
import {
  loadOrder,
  type OrderWithConsent,
  paymentIdsOf,
} from "#src/payments/order/payment-order.ts";
import { loadPlacedOrder } from "#src/payments/order/placed-order.ts";
import { registrationOperations } from "#src/registration/routes.ts";
import type { OrderFacts } from "#src/request-log/explain/explain-order.ts";
import { createLogReader, type LogReader } from "#src/request-log/reader.ts";
import { openRequestLog, type RequestLog } from "#src/request-log/request-log.ts";
import type { EndpointChecks } from "#src/request-log/shown-request.ts";
import { listPostings } from "#src/sandbox/bank/postings.ts";
import { listActs } from "#src/sandbox/bank/tester-acts.ts";
import { ownChannel } from "#src/sandbox/personas/store-own-orders.ts";
import type { Parts } from "#src/server/parts.ts";
import type { Tracing } from "#src/server/tracing/open-tracing.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import type { Database } from "#src/storage/database.ts";
import { accessKinds, coursesOf } from "./access-kinds.ts";
import { trustAnchorsOf } from "./message-signing.ts";
import { versionWords } from "./version-words.ts";

type LogParts = {
  config: Config;
  database: Database;
  machineClock: Clock;
  metrics: Metrics;
  operations: readonly Operation[];
  tracing: Pick<Tracing, "log">;
  log: Pick<FastifyBaseLogger, "error">;
};

/** What the log may need for each of its entries, on average, before it is compressed. */
const bytesPerEntry = 1000;

/** Opens the log of requests that the configuration asks for; null if it is switched off. */
export function openLog(parts: LogParts): RequestLog | null {
  const { config, database, machineClock, metrics, operations, tracing, log } = parts;
  if (config.REQUEST_LOG_ENTRIES === 0) return null;
  const requestLog = openRequestLog({
    database,
    machineClock,
    registry: metrics.registry,
    limits: {
      entries: config.REQUEST_LOG_ENTRIES,
      bytes: config.REQUEST_LOG_ENTRIES * bytesPerEntry,
      days: config.REQUEST_LOG_DAYS,
    },
    keepsBodies: config.REQUEST_LOG_BODIES && config.ALDGATE_PROFILE === "sandbox",
    onFailure: (error) => log.error({ err: error }, "requests are missing in their log"),
  });
  return tracing.log(requestLog, { operations, endpointChecks });
}

const endpointChecks: EndpointChecks = Object.fromEntries([
  ...Object.entries(checksOfAuthorization).flatMap(([url, names]) =>
    ["GET", "POST"].map((method) => [`${method} ${url}`, names] as const),
  ),
  ...registrationOperations.map(({ method, url, steps }) => [`${method} ${url}`, steps] as const),
]);

type LoggedParts = Pick<
  Parts,
  "clock" | "config" | "database" | "kinds" | "operations" | "requestLog" | "sandbox"
>;

/** Opens a bank's log for its readers; null if it is switched off. */
export function openLogReader({
  database,
  operations,
  requestLog,
  sandbox,
  ...parts
}: LoggedParts): LogReader | null {
  if (requestLog === null) return null;
  const hasLedger = sandbox !== null && sandbox.core === null;
  const moved = sandbox ? { sandboxHints: sandbox.hints } : {};
  return readLog({ ...parts, database, operations, log: requestLog, hasLedger, ...moved });
}

/** Makes the reader of the log in a database; `hasLedger` if it also has the core's ledger. */
export function readLog({
  database,
  kinds,
  operations,
  log,
  hasLedger,
  clock,
  config,
  ...moved
}: Pick<Parts, "clock" | "config" | "kinds"> &
  Pick<MovedClock, "sandboxHints"> & {
    database: Database;
    operations: readonly Operation[];
    log: Pick<RequestLog, "flush">;
    hasLedger: boolean;
  }): LogReader {
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  return createLogReader({
    database,
    log,
    operations,
    endpointChecks,
    kinds: isSandbox
      ? [...accessKinds, ...kinds.map((kind) => describedKind(kind, { config }))]
      : coursesOf(kinds),
    clock,
    ownChannelId: ownChannel.clientId,
    trustAnchors: trustAnchorsOf(config.TRUST_ANCHOR, config.ALDGATE_PROFILE),
    words: versionWords(kinds),
    async loadOrder(orderId) {
      const order = await loadOrder(database, orderId);
      if (!order) return null;
      const paid = isSandbox ? await listPaid({ database, kinds, config }, order) : [];
      return { ...factsOf(order), paid };
    },
    listLedgerLines: async (orderId) =>
      hasLedger ? listPostings(database, paymentIdsOf(orderId)) : [],
    listTesterActs: async (id) => (isSandbox ? listActs(database, id) : []),
    async findBackchannelRequest(id) {
      const found = await findRequest(database, sha256(id));
      return found ? { ...found, clockNote: clockNote(found, moved) } : null;
    },
  });
}

/** What an order within limits pays. The consents of other orders say it themselves. */
async function listPaid(
  { database, kinds, config }: Pick<Parts, "database" | "kinds" | "config">,
  { orderId, kind: kindId }: OrderWithConsent,
): Promise<OrderFacts["paid"]> {
  const kind = kindNamed(kindId, kinds);
  const order = isUsedUpByOrder(kind.consent) ? null : await loadPlacedOrder(database, orderId);
  if (!order) return [];
  const { amount, payee } = kind.shape.listed(order, config);
  const { reference } = order.payment;
  return [
    { name: "amount", value: amount },
    { name: "payee", value: payee },
    ...(reference === null ? [] : [{ name: "reference", value: reference }]),
  ];
}

function factsOf(order: OrderWithConsent): Omit<OrderFacts, "paid"> {
  const { signatoriesRequired, signatoriesReceived, statusReason, ...facts } = order;
  const isShared = (signatoriesRequired ?? 1) > 1;
  return {
    ...facts,
    reasons: statusReason,
    signatures: isShared ? `${signatoriesReceived ?? 0} of ${signatoriesRequired}` : null,
  };
}
