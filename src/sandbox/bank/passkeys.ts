import { randomBytes } from "node:crypto";
import type { PasskeyRequest, ProvedBy } from "#src/bank/challenge.ts";
import type { OwnPasskey, Passkeys } from "#src/bank/passkeys.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { createHandover } from "#src/lib/recent.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import {
  type KeptKey,
  passkeyAlgorithms,
  type RelyingParty,
  readAssertion,
  readNewKey,
  verifyAssertion,
} from "./webauthn.ts";

const mostPasskeys = 10;
// those that a customer has named but not added yet, such as in several windows
const mostPrepared = 5;
// as long as the login allows after a second factor. Source: SCA-RTS article 4(3)(d)
const addMinutes = 5;

/** What a passkey has proved, to be counted once its challenge is used. */
type PasskeyProof = ProvedBy & { passkeyId: string; signCount: bigint };

/** How challenges use the passkeys of customers. */
export type PasskeyChecks = {
  /** Leaves the customer's passkeys, as they were just read, for the next `request`. */
  know(customerId: string, passkeys: readonly Credential[]): void;
  /** What the browser is given to ask for a passkey of this customer; null if there is none. */
  request(customerId: string, challenge: () => string): Promise<PasskeyRequest | null>;
  /** Verifies an answer; null if it is wrong, or of a passkey that this customer does not have. */
  check(customerId: string, challenge: string, answer: string): Promise<PasskeyProof | null>;
  /** Keeps the count of a passkey that was used. False if another answer has counted further. */
  count(proof: PasskeyProof): Promise<boolean>;
};

type Kept = KeptKey & { passkeyId: string };
/** How a browser finds a passkey. */
export type Credential = { id: string; transports: string[] };

// a login asks for the second factor at once
const knownFor = { milliseconds: 2000, values: 500 };

/** Creates the use of passkeys in challenges. */
export function createPasskeyChecks(
  database: Database,
  clock: Clock,
  party: RelyingParty,
): PasskeyChecks {
  const known = createHandover<readonly Credential[]>(knownFor);
  return {
    know: known.give,

    async request(customerId, challenge) {
      const kept = known.take(customerId) ?? (await listCredentials(database, customerId));
      if (kept.length === 0) return null;
      return {
        challenge: challenge(),
        rpId: party.rpId,
        allowCredentials: kept.map((one) => ({ type: "public-key", ...one })),
        userVerification: "required",
      };
    },

    async check(customerId, challenge, answer) {
      const given = readAssertion(answer);
      if (!given) return null;
      const { userHandle } = given.response;
      if (userHandle !== undefined && userHandle !== handleOf(customerId)) return null;
      const kept = await first<Kept>(
        database,
        sql`select passkey_id as "passkeyId", public_key as "publicKey", sign_count as "signCount"
          from sandbox_passkey
          where credential_id = ${given.id} and customer_id = ${customerId}`,
      );
      const verified = kept && verifyAssertion(given, { ...party, challenge }, kept);
      if (!verified) return null;
      const { signCount, isSynced } = verified;
      // a key that may be copied does not stay in the hardware; the device has tested its user.
      // Source: RFC 8176 section 2
      return { passkeyId: kept.passkeyId, signCount, amr: [isSynced ? "swk" : "hwk", "user"] };
    },

    async count({ passkeyId, signCount }) {
      const rows = await database.query(sql`
        update sandbox_passkey set sign_count = ${signCount}, used_at = ${clock.now()}
        where passkey_id = ${passkeyId} and (sign_count < ${signCount} or ${signCount} = 0::bigint)
        returning passkey_id`);
      return rows.length === 1;
    },
  };
}

/** A query of a customer's passkeys as JSON, for statements that read more with it. */
export const credentialsJson = (customerId: Sql): Sql => sql`
  select coalesce(json_agg(json_build_object('id', credential_id, 'transports', transports)
    order by added_at, passkey_id), '[]'::json)
  from sandbox_passkey where customer_id = ${customerId} and added_at is not null`;

async function listCredentials(on: Queryable, customerId: string): Promise<readonly Credential[]> {
  const row = await first<{ list: Credential[] }>(
    on,
    sql`select (${credentialsJson(sql`${customerId}`)}) as list`,
  );
  return row?.list ?? [];
}

// it says nothing about the customer to whoever reads it on a device
const handleOf = (customerId: string): string => sha256(`passkeys of ${customerId}`);

type Prepared = { name: string; challenge: string; isAllowed: boolean };

/** Creates the management of passkeys. */
export function createPasskeys(
  database: Database,
  clock: Clock,
  { party, bankName }: { party: RelyingParty; bankName: string },
): Passkeys {
  const prepared = (customerId: string, passkeyId: string) =>
    first<Prepared>(
      database,
      sql`select name, challenge, coalesce(allowed_until > ${clock.now()}, false) as "isAllowed"
        from sandbox_passkey
        where passkey_id = ${passkeyId} and customer_id = ${customerId} and added_at is null`,
    );
  return {
    most: mostPasskeys,

    list: (customerId) =>
      database.query<OwnPasskey>(sql`
        select passkey_id as "passkeyId", name, added_at as "addedAt", used_at as "usedAt",
          is_synced as "isSynced"
        from sandbox_passkey where customer_id = ${customerId} and added_at is not null
        order by added_at, passkey_id`),

    async prepare(customerId, name) {
      const passkeyId = newId("passkey");
      const challenge = randomBytes(32).toString("base64url");
      const rows = await database.query(sql`
        with dropped as (
          delete from sandbox_passkey where passkey_id = any(array(
            select passkey_id from sandbox_passkey
            where customer_id = ${customerId} and added_at is null
            order by created_at desc, passkey_id desc offset ${mostPrepared - 1}::integer)))
        insert into sandbox_passkey (passkey_id, customer_id, name, created_at, challenge)
        select ${passkeyId}, ${customerId}, ${name}, ${clock.now()}::timestamptz, ${challenge}
        where (select count(*) from sandbox_passkey
          where customer_id = ${customerId} and added_at is not null) < ${mostPasskeys}::integer
        returning passkey_id`);
      return rows.length === 1 ? passkeyId : null;
    },

    prepared: async (customerId, passkeyId) =>
      (await prepared(customerId, passkeyId))?.name ?? null,

    async allow(customerId, passkeyId) {
      const rows = await database.query(sql`
        update sandbox_passkey set allowed_until = ${clock.now().add({ minutes: addMinutes })}
        where passkey_id = ${passkeyId} and customer_id = ${customerId} and added_at is null
        returning passkey_id`);
      return rows.length === 1;
    },

    async creation(customerId, passkeyId) {
      const found = await prepared(customerId, passkeyId);
      if (!found?.isAllowed) return null;
      const [user, known] = await Promise.all([
        first<{ login: string; name: string }>(
          database,
          sql`select login, name from customer where customer_id = ${customerId}`,
        ),
        listCredentials(database, customerId),
      ]);
      if (!user) return null;
      return {
        challenge: found.challenge,
        rp: { id: party.rpId, name: bankName },
        user: { id: handleOf(customerId), name: user.login, displayName: user.name },
        pubKeyCredParams: passkeyAlgorithms.map(({ alg }) => ({ type: "public-key", alg })),
        excludeCredentials: known.map(({ id }) => ({ type: "public-key", id })),
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        attestation: "none",
      };
    },

    async add(customerId, passkeyId, answer) {
      const found = await prepared(customerId, passkeyId);
      const made = found && readNewKey(answer, { ...party, challenge: found.challenge });
      if (!made) return false;
      const now = clock.now();
      const rows = await database.query(sql`
        update sandbox_passkey set added_at = ${now}, credential_id = ${made.credentialId},
          public_key = ${made.publicKey}, transports = ${made.transports}::text[],
          is_synced = ${made.isSynced}, sign_count = ${made.signCount}
        where passkey_id = ${passkeyId} and customer_id = ${customerId} and added_at is null
          and allowed_until > ${now}
          and not exists (
            select from sandbox_passkey o where o.credential_id = ${made.credentialId})
        returning passkey_id`);
      return rows.length === 1;
    },

    async remove(customerId, passkeyId) {
      const rows = await database.query(sql`
        delete from sandbox_passkey
        where passkey_id = ${passkeyId} and customer_id = ${customerId} and added_at is not null
        returning passkey_id`);
      return rows.length === 1;
    },
  };
}

/** Deletes passkeys that were prepared a day ago and never added. */
export const purgePasskeys = async (on: Queryable, now: Temporal.Instant): Promise<void> => {
  await on.query(sql`
    delete from sandbox_passkey where passkey_id = any(array(
      select passkey_id from sandbox_passkey
      where added_at is null and created_at <= ${now.subtract({ hours: 24 })}
      limit 1000 for update skip locked))`);
};
