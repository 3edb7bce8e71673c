import { type Sql, sql } from "#src/storage/sql.ts";

/** What a client exchanges for tokens, once: the library's name of its kind, and its hash. */
export type UsedSource = {
  model: "AuthorizationCode" | "BackchannelAuthenticationRequest";
  idHash: string;
};

/** What was exchanged, and the hash of the access token for it. */
export type TokenExchange = { source: UsedSource; tokenHash: string };

/** Uses an artifact; returns a row unless it was used before, or `met` is not. */
export const artifactUse = (
  model: string,
  idHash: string,
  now: Temporal.Instant,
  met: Sql = sql``,
): Sql => sql`
  update oidc_artifact set consumed_at = ${now}
  where model = ${model} and id_hash = ${idHash} and consumed_at is null ${met}
  returning model`;

/** Uses up what a client exchanges; returns a row unless it was used, or `condition` is not met. */
export const sourceUse = (
  { model, idHash }: UsedSource,
  now: Temporal.Instant,
  condition: Sql | null = null,
): Sql => {
  const met = condition ? sql`and ${condition}` : sql``;
  return model === "AuthorizationCode"
    ? artifactUse(model, idHash, now, met)
    : sql`
        update backchannel_request set used_at = ${now}
        where id_hash = ${idHash} and used_at is null ${met} returning uid`;
};

/**
 * Takes back an exchange whose tokens were never delivered, because the id_token could not be
 * signed. The client can send the code again. Without this, the library would take the repetition
 * for theft and end the customer's grant.
 */
export const takeBack = ({ source: { model, idHash }, tokenHash }: TokenExchange): Sql => {
  const gone = sql`delete from access_token where token_hash = ${tokenHash} returning client_id`;
  const unused =
    model === "AuthorizationCode"
      ? sql`update oidc_artifact set consumed_at = null
          where model = ${model} and id_hash = ${idHash}`
      : sql`update backchannel_request set used_at = null where id_hash = ${idHash}`;
  return sql`with gone as (${gone}) ${unused} and exists (select from gone)`;
};
