import type { Adapter, AdapterPayload } from "oidc-provider";
import { insistedSubjects, namedIntent } from "#src/auth/provider/intent.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { OAuthError } from "./outcomes.ts";

/** An authorization request that waits for its customer, as the authorization server stores it. */
export type Interaction = {
  params: Record<string, unknown>;
  /** The URL at which the authorization server goes on. */
  returnTo: string;
  result?: InteractionResult;
};

/** The answer of a journey to the authorization server. */
export type InteractionResult =
  | { login: { accountId: string; [detail: string]: unknown }; consent: { grantId: string } }
  | OAuthError;

/** The step that every journey begins with, and how long it may take. */
export type JourneyStart = { step: string; minutes: number };

/** How long the authorization server waits for a customer. */
export const interactionSeconds = 86_400;

/** The interaction of a journey `j`: null once the TPP has its answer or the time is up. */
export const openInteraction = (now: Temporal.Instant): Sql => sql`
  case when j.created_at > ${now}::timestamptz - ${`${interactionSeconds} seconds`}::interval
    then j.interaction end`;

/**
 * Stores the interactions of the authorization server: each is the beginning of a journey, and is
 * in its row.
 */
export function interactionAdapter(on: Queryable, clock: Clock, start: JourneyStart): Adapter {
  const nothing = async () => undefined;
  return {
    async upsert(uid, payload) {
      const { jti: _, ...interaction } = payload;
      const now = clock.now();
      const consentId = present(namedIntent(claimsOf(payload)), "the consent of the request");
      await on.query(sql`
        insert into journey (uid, consent_id, client_id, step, created_at, expires_at, interaction)
        values (${uid}, ${consentId}, ${payload.params?.client_id}, ${start.step}, ${now},
          ${now.add({ minutes: start.minutes })}, ${JSON.stringify(interaction)}::jsonb)
        on conflict (uid) do update set interaction = excluded.interaction`);
    },
    async find(uid) {
      const row = await first<{ interaction: AdapterPayload | null }>(
        on,
        sql`select ${openInteraction(clock.now())} as interaction from journey j
          where j.uid = ${uid}`,
      );
      return row?.interaction ? { ...row.interaction, jti: uid } : undefined;
    },
    async destroy(uid) {
      await on.query(sql`update journey set interaction = null where uid = ${uid}`);
    },
    consume: nothing,
    findByUid: nothing,
    findByUserCode: nothing,
    revokeByGrantId: nothing,
  };
}

/** The claims that a request asks for. They were validated when the request came in. */
function claimsOf({ params }: Pick<AdapterPayload, "params">): unknown {
  const claims = params?.claims;
  return typeof claims === "string" ? JSON.parse(claims) : undefined;
}

/** The customers whom the TPP insists on; empty if it accepts any. */
export const subjectsOf = (interaction: Interaction): string[] =>
  insistedSubjects(claimsOf(interaction), interaction.params.id_token_hint);
