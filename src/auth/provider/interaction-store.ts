import type { Adapter, AdapterPayload } from "oidc-provider";
import type { Authentication } from "#src/auth/login/authentication.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";
import { interactionSeconds } from "./clock-note.ts";
import { insistedSubjects, namedIntent } from "./intent.ts";
import { type AheadRow, type KnownToRequest, rememberClient, withClient } from "./read-ahead.ts";

/** An authorization request that waits for its customer, as the authorization server stores it. */
export type Interaction = {
  params: Record<string, unknown>;
  /** The URL at which the authorization server goes on. */
  returnTo: string;
  result?: InteractionResult;
};

type Stored = AdapterPayload & Interaction;

/** An OAuth error, as the TPP gets it. */
export type OAuthError = { error: string; error_description: string };

/** Who has confirmed, and how and when (RFC 3339, by the bank's clock). */
type ConfirmedLogin = Omit<Authentication, "method"> & { accountId: string; remember: false };

/** The answer of a journey to the authorization server. */
export type InteractionResult =
  | { login: ConfirmedLogin; consent: { grantId: string } }
  | OAuthError;

/** An authorization request with which a journey begins, under the journey's id. */
export type BegunRequest = {
  uid: string;
  consentId: string;
  clientId: string;
  interaction: Interaction;
};

/** Stores a journey at its first step. */
export type StartJourney = (on: Queryable, begun: BegunRequest) => Promise<void>;

/** The interaction of a journey `j`: null once the TPP has its answer or the time is up. */
export const openInteraction = (now: Temporal.Instant): Sql => sql`
  case when j.created_at > ${now}::timestamptz - ${`${interactionSeconds} seconds`}::interval
    then j.interaction end`;

type InteractionDeps = {
  on: Queryable;
  clock: Clock;
  startJourney: StartJourney;
  machineClock: Clock;
  /** Whether the current request takes the answer of a journey to the TPP. */
  isResuming(): boolean;
  known: KnownToRequest;
};

/**
 * Stores the interactions of the authorization server: each is the beginning of a journey, and is
 * in its row. The request that answers the TPP takes the interaction out: of two at the same time
 * one finds it. It reads the client and the consent of the answer with it.
 */
export function interactionAdapter(deps: InteractionDeps): Adapter {
  const { on, clock, machineClock, startJourney, isResuming, known } = deps;
  const nothing = async () => undefined;
  return {
    async upsert(uid, payload) {
      const { jti: _, ...interaction } = payload;
      const consentId = present(namedIntent(claimsOf(payload)), "the consent of the request");
      const clientId = textOf(payload.params?.client_id);
      await startJourney(on, {
        ...{ uid, consentId, clientId },
        interaction: interaction as Stored, // the library stores no other members
      });
    },
    async find(uid) {
      const open = sql`
        select ${openInteraction(clock.now())} as interaction, j.uid, j.client_id from journey j
        where j.uid = ${uid} and j.interaction is not null`;
      const request = isResuming() ? known() : null;
      const resumed = {
        row: sql`taken t`,
        columns: sql`t.interaction`,
        clientId: sql`t.client_id`,
        grantId: sql`t.interaction #>> '{result,consent,grantId}'`,
      };
      const row = await first<{ interaction: Stored | null } & AheadRow>(
        on,
        request
          ? sql`with taken as (${open} for update),
              cleared as (
                update journey j set interaction = null from taken t where j.uid = t.uid
                returning ${unflushed})
              ${withClient(resumed, machineClock.now())}`
          : open,
      );
      if (!row?.interaction) return undefined;
      const { params, result }: Interaction = row.interaction;
      const grantId = result && "consent" in result ? result.consent.grantId : undefined;
      if (request) rememberClient(request, { clientId: textOf(params.client_id), grantId }, row);
      return { ...row.interaction, jti: uid };
    },
    async destroy(uid) {
      if (isResuming()) return; // it was taken out when it was found
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
