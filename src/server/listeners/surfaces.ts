import { readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { Config } from "#src/config/config.ts";
import {
  type Admission,
  type Cause,
  createAdmission,
  LoadGate,
  type Surface,
} from "#src/http/access/admission.ts";
import type { ConnectionLimits } from "#src/http/connection/connections.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import { bodyLimitBytes } from "#src/http/receive-body.ts";
import { countRefusals } from "#src/http/refusal/count-refusals.ts";
import { type Unavailable, unavailableOf } from "#src/lib/unavailable.ts";

// the APIs have no body here, OAuth and registration have the form of their errors
const api = { isForTpps: true, shedBody: "" };
const oauth = {
  isForTpps: true,
  shedBody: JSON.stringify({
    error: "temporarily_unavailable",
    error_description:
      "The bank has too many requests at the moment. Wait for the number of seconds in Retry-After.",
  }),
};

/**
 * The addresses of the bank by what limits the requests to them. An address that is not listed
 * here counts as a page: the last row. Health is always answered, and a sandbox's controls are for
 * its developer. The APIs have limits by group after the token, with the headers that show them.
 */
const surfaces: readonly Surface[] = [
  { prefix: "/api/", group: null, ...api },
  { prefix: "/token", group: "tokens", ...oauth },
  { prefix: "/request", group: "tokens", ...oauth },
  { prefix: "/backchannel", group: "tokens", ...oauth },
  { prefix: "/me", group: "tokens", ...oauth },
  { prefix: "/register", group: "registration", ...oauth },
  { prefix: "/", group: null, isForTpps: false, shedBody: null },
];

const unlimited = ["/health/", "/sandbox/v1"];

type AdmissionParts = {
  app: Pick<FastifyInstance, "log">;
  config: Config;
  metrics: Pick<Metrics, "refused">;
};

/** Opens the admission of requests. `watchLoad` watches the event loop; call its result to end. */
export function openAdmission({ app, config, metrics }: AdmissionParts): {
  admission: Admission;
  watchLoad(): () => void;
} {
  const gate = new LoadGate({ lateMilliseconds: config.LATE_AFTER_MILLISECONDS });
  const limits = {
    perSecond: config.RATE_LIMIT_PER_CALLER,
    groupPerSecond: config.RATE_LIMIT_PER_SECOND,
    bytesPerSecond: config.BYTES_PER_SECOND,
    inProgress: config.REQUESTS_IN_PROGRESS,
    bodyLimit: bodyLimitBytes,
  };
  const reportLate = countRefusals(1000, "requests are refused, because this process is late");
  const onRefused = (cause: Cause): void => {
    metrics.refused(cause);
    if (cause === "late") reportLate(app.log);
  };
  const admission = createAdmission({ limits, gate, surfaces, unlimited, onRefused });
  return { admission, watchLoad: () => gate.watch() };
}

// A caller over its limit that sends its next request after each refusal would otherwise take the
// process's time with refusals.
const holdMilliseconds = 500;

/**
 * Admits or refuses every request of an application before anything is read for it. The refusal of
 * a caller over its own limit is held back for half a second.
 */
export function limitCallers(app: FastifyInstance, admission: Admission): void {
  // without a promise, because the hook runs for every request
  app.addHook("onRequest", (request, reply, done) => {
    const { url = "/", config } = request.routeOptions;
    const isUpload = (config as { isUpload?: boolean }).isUpload ?? false;
    try {
      admission.admit(request.raw, reply.raw, { url, isUpload });
    } catch (error) {
      if (unavailableOf(error)?.part !== "limit") throw error;
      setTimeout(() => done(error as Unavailable), holdMilliseconds);
      return undefined;
    }
    done();
  });
}

// The rest is for more files of the database, and for what the bank itself calls.
const shareOfDescriptors = 0.75;
// as CONNECTIONS_LIMIT
const fewest = 10;

/**
 * Returns how many connections the listeners may keep open: what is configured, or three quarters
 * of the free descriptors if that is less. The embedded database holds some 200 at the start.
 */
export function connectionLimits(
  config: Config,
  descriptors = freeDescriptors(),
): ConnectionLimits {
  const most = descriptors === null ? Infinity : Math.floor(descriptors * shareOfDescriptors);
  const total = Math.min(config.CONNECTIONS_LIMIT, Math.max(most, fewest));
  return { total, perAddress: Math.min(config.CONNECTIONS_PER_ADDRESS, total) };
}

/** How many more files the process may open; null if the system does not report it. */
function freeDescriptors(): number | null {
  try {
    const text = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files +(\d+)/m.exec(text)?.[1];
    return soft === undefined ? null : Number(soft) - readdirSync("/proc/self/fd").length;
  } catch {
    return null; // not Linux
  }
}
