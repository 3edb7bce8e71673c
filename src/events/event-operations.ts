import { ApiError, refusal } from "#src/http/api-error.ts";
import { type CompiledSchema, compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation, OperationRequest } from "#src/http/operation.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { type Poll, pollRequest, pollResponse } from "#src/standard/shared/events/polling.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { EventDeps } from "./event-deps.ts";
import { eventVersions } from "./event-versions.ts";
import { listRefusals, type Polled, pollEvents } from "./poll.ts";
import { registrationForms } from "./registration-forms.ts";
import { registrationOperations } from "./registration-operations.ts";

/** The most events in one response. */
const eventsPerPoll = 100;

// a TPP may acknowledge the events of several responses at once
const acknowledgementsPerPoll = 10 * eventsPerPoll;

/** Every operation of event notifications. */
export function eventOperations(deps: EventDeps): Operation[] {
  const schema = compileSchema(pollRequest, { mostItems: acknowledgementsPerPoll });
  return eventVersions.flatMap((api) => [
    ...registrationForms.flatMap((row) => registrationOperations(api, row, deps)),
    polling(api, deps, schema),
  ]);
}

function polling(api: ApiVersion, deps: EventDeps, schema: CompiledSchema): Operation {
  return {
    api,
    operationId: "CreateEvents",
    summary: "Poll for events",
    description:
      "Returns the oldest events that this client has not acknowledged, each as a signed JWT. " +
      `A response has at most ${eventsPerPoll} events. If there are none, the bank waits ` +
      "for one before it responds, unless `returnImmediately` is true.",
    tag: "Events",
    method: "POST",
    path: "/events",
    grant: "client_credentials",
    signed: false,
    idempotent: false,
    request: pollRequest,
    success: { status: 200, schema: pollResponse },
    refusals: { 400: ["U002", "U004", "U005"] },
    async handle(request) {
      const poll = readPoll(schema, request.body);
      const { clientId } = request.access;
      const advice = deps.advises ? await advisePoll(deps.database, clientId, poll) : null;
      // there is nothing to wait for without a registration
      const isHopeless = advice === notRegistered;
      const asked = isHopeless ? { ...poll, returnImmediately: true } : poll;
      const body = await answer(deps, asked, request);
      return { status: 200, body, ...(advice ? { headers: { [adviceHeader]: advice } } : {}) };
    },
  };
}

/** Reads a poll. Throws an ApiError if the body is invalid. Source: EV-01, EV-16, EV-30. */
function readPoll(schema: CompiledSchema, body: unknown): Poll {
  const faults = judge(schema, body);
  if (faults.length > 0) throw new ApiError(400, faults);
  const poll = body as Poll; // checked above
  if ((poll.maxEvents ?? 0) < 0) throw refusal("U002", "maxEvents", "maxEvents must be 0 or more.");
  return poll;
}

// Source: EV-30, EV-32.
async function answer(deps: EventDeps, poll: Poll, request: OperationRequest): Promise<Polled> {
  const { clientId } = request.access;
  const most = Math.min(poll.maxEvents ?? eventsPerPoll, eventsPerPoll);
  const waitsUntil = performance.now() + (poll.returnImmediately ? 0 : deps.longPollMs);
  let polled = await pollEvents(deps, clientId, poll, most, request.now);
  const refusals = await listRefusals(deps.database, clientId, poll.setErrs ?? {}, request.now);
  refusals.forEach(deps.onRefused);
  while (most > 0 && Object.keys(polled.sets).length === 0) {
    if (!(await deps.polls.wait(clientId, waitsUntil - performance.now()))) break;
    polled = await pollEvents(deps, clientId, {}, most, deps.clock.now());
  }
  return polled;
}

/** The header with which a sandbox tells a TPP's developer what a poll cannot say. */
const adviceHeader = "x-aldgate-advice";

/** The advice to a TPP that polls without a registration. */
const notRegistered =
  "This client has not registered for events, so there are none. Create an event subscription or " +
  "a callback URL first.";

const mostNamed = 3;

/**
 * Returns what the developer of a polling TPP should know: that no registration for events exists,
 * or which ids of `ack` and `setErrs` are unknown, which the response must ignore. Null if there is
 * nothing to say. Source: EV-16.
 */
async function advisePoll(
  on: Queryable,
  clientId: string,
  { ack = [], setErrs = {} }: Pick<Poll, "ack" | "setErrs">,
): Promise<string | null> {
  const named = [...ack, ...Object.keys(setErrs)];
  const row = await first<{ isRegistered: boolean; unknown: string[] }>(
    on,
    sql`select exists (select from event_subscription s where s.client_id = ${clientId})
        as "isRegistered",
      array(select n.jti from unnest(${named}::text[]) n (jti) where not exists (
        select from event e where e.client_id = ${clientId} and e.jti = n.jti)) as unknown`,
  );
  if (!row?.isRegistered) return notRegistered;
  const { unknown } = row;
  if (unknown.length === 0) return null;
  const list = unknown.slice(0, mostNamed).map((jti) => JSON.stringify(jti.slice(0, 64)));
  const rest = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
  return plain(
    `ack and setErrs name ids that no event of this client has: ${list.join(", ")}${rest}`,
  );
}

// a header takes only visible ASCII
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");
