import type { PostReply, Sender } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { PingSeal } from "./sealed-ping.ts";

type PingDeps = {
  database: Queryable;
  clock: Clock;
  seal: PingSeal;
  sender: Sender;
  log: { warn(details: object, text: string): void };
};

/** Tells clients that their customers have decided. */
export type Pings = {
  /** Begins to send what is due. Does not wait for the clients. */
  send(): Promise<void>;
  /** Waits for the pings in progress, and stops them. */
  stop(): Promise<void>;
};

// seconds before each further try; after the last one, the client only polls
const pauses = [2, 10, 30, 60, 120];
// so that a client that never answers delays no other one
const atOnce = 50;
const atOncePerClient = 2;
/** Whether a ping ends with this reply, and why it has failed; the reason is null if it has not. */
function resultOf(reply: PostReply): { isFinal: boolean; reason: string | null } {
  const { status } = reply;
  if (status === null) return { isFinal: false, reason: reply.reason };
  if (status === 200 || status === 204) return { isFinal: true, reason: null };
  // the client has refused for good, or names another address, which is never called
  const isFinal = status < 500 && status !== 408 && status !== 429;
  return { isFinal, reason: `the status is ${status}` };
}

/** A URL for the log: its query may hold what only the TPP may know. */
function withoutQuery(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return `${origin}${pathname}`;
}

type Due = { uid: string; clientId: string; ping: string; endpoint: string | null; pings: number };

/**
 * Makes the sender of pings. Every process may send: a statement takes a ping and plans the next
 * try, so that a process that dies loses no ping, and a ping arrives at least once.
 */
export function createPings({ database, clock, seal, sender, log }: PingDeps): Pings {
  const running = new Map<string, { clientId: string; work: Promise<void> }>();
  const stopping = new AbortController();

  async function take(): Promise<Due[]> {
    const now = clock.now();
    const busy = [...running.values()].map(({ clientId }) => clientId);
    const full = busy.filter(
      (one) => busy.filter((each) => each === one).length >= atOncePerClient,
    );
    // a try that has been taken but not finished may be repeated after 15 seconds; the TPP knows
    // the end of the time, and is not told of it
    const rows = await database.query<Due>(sql`
      with due as (
        select r.uid, j.outcome,
          row_number() over (partition by r.client_id order by r.expires_at) as place
        from backchannel_request r join journey j on j.uid = r.uid
        where r.ping is not null and j.outcome is not null
          and (r.ping_at is null or r.ping_at <= ${now})
          and not r.client_id = any(${[...new Set(full)]}::text[])
        order by place, r.expires_at limit ${Math.max(0, atOnce - running.size)}::integer
      )
      update backchannel_request r set pings = r.pings + 1,
        ping_at = ${now.add({ seconds: 15 })},
        ping = case when d.outcome <> 'timed_out' then r.ping end
      from due d
      where d.uid = r.uid and d.place <= ${atOncePerClient}::integer
        and (r.ping_at is null or r.ping_at <= ${now})
      returning r.uid, r.client_id as "clientId", r.ping, r.pings,
        (select cl.metadata->>'backchannel_client_notification_endpoint'
          from client cl where cl.client_id = r.client_id) as endpoint`);
    return rows.filter(({ ping }) => ping !== null);
  }

  /** The sending of a ping, or why it cannot be sent. */
  function requestOf({ uid, ping: sealed, endpoint }: Due) {
    const ping = seal.open(uid, sealed);
    if (!ping) return "COOKIE_SECRET has changed since the request";
    if (endpoint === null) return "the client has no notification endpoint any more";
    return {
      url: endpoint,
      body: JSON.stringify({ auth_req_id: ping.authReqId }),
      headers: { authorization: `Bearer ${ping.token}`, "content-type": "application/json" },
    };
  }

  async function deliver(due: Due): Promise<void> {
    const { uid, clientId, endpoint, pings } = due;
    const request = requestOf(due);
    const result =
      typeof request === "string"
        ? { isFinal: true, reason: request }
        : resultOf(await sender.post(request, stopping.signal));
    if (stopping.signal.aborted) return;
    const { reason } = result;
    const pause = pauses[pings - 1];
    if (result.isFinal || pause === undefined) {
      await database.query(sql`update backchannel_request set ping = null where uid = ${uid}`);
    } else {
      const next = clock.now().add({ seconds: pause });
      await database.query(
        sql`update backchannel_request set ping_at = ${next} where uid = ${uid}`,
      );
    }
    if (reason === null) return;
    const details = { clientId, endpoint: endpoint && withoutQuery(endpoint), reason, pings };
    log.warn(details, "a TPP could not be told of a decision");
  }

  return {
    async send() {
      for (const due of await take()) {
        const work = deliver(due)
          .catch((error) => log.warn({ err: error }, "a ping failed"))
          .finally(() => running.delete(due.uid));
        running.set(due.uid, { clientId: due.clientId, work });
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all([...running.values()].map(({ work }) => work));
    },
  };
}
