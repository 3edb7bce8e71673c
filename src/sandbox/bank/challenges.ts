import { createHmac } from "node:crypto";
import { type ChallengeResult, type FactorCalls, subjectHash } from "#src/bank/challenge.ts";
import type { Clock } from "#src/lib/clock.ts";
import { isSameText } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";
import type { PasskeyChecks } from "./passkeys.ts";

/** For how long a code can be entered. */
export const codeMinutes = 5;
// Source: SCA-RTS article 4(3)(b).
const triesAllowed = 5;
const digits = 6;
const randomBytes = 24;
// what answers it and a random part, the end of its time (milliseconds), the subject's hash, and
// the customer's id
const idForm = /^(?:sca|passkey|app)-[^.]+\.([0-9a-z]{1,9})\.([^.]+)\.(.+)$/;
// the id of a challenge that no page shows begins with it
const alone = "app";
// the app holds a key in the phone's hardware, and asks for a fingerprint
const appMethods = ["hwk", "fpt"];

/** The facts in the id of a challenge, which therefore needs no row before its first answer. */
type Asked = {
  customerId: string;
  expiresAt: Temporal.Instant;
  hash: string;
  /** Whether a passkey answers it. */
  byPasskey: boolean;
};

/** Where a customer's codes come from: the secret, and the last digits of the mobile number. */
type Device = { secret: string; ending: string | null; login: string };

/**
 * What goes wrong with a customer's second factor, for tests. `refused`: every code is wrong.
 * `expired`: a code's time is over as soon as it is sent.
 */
export type FactorMishap = "refused" | "expired";

/** What a customer does in the sandbox bank's app; `expire` lets the request end unanswered. */
type AppDecision = "approve" | "decline" | "expire";

/** The customers who approve in the sandbox bank's app, and the app's address of a challenge. */
export type SandboxApp = {
  isUsedBy(login: string): boolean;
  urlOf(challengeId: string): string;
};

/** The sandbox bank's second factor. */
export type ChallengeCalls = Required<FactorCalls> & {
  /** The code of a challenge for the sandbox to show; null if its time is up, or it has none. */
  codeOf(challengeId: string): Promise<string | null>;
  /**
   * Does what the customer does in the app. `digits` are those that the customer has typed there.
   * Nothing is done, and the reason returned, if they are wrong or the request has ended.
   */
  answerInApp(
    challengeId: string,
    decision: AppDecision,
    digits: string | undefined,
  ): Promise<"done" | "wrong digits" | "over">;
};

type FactorOptions = {
  mishapOf: (login: string) => FactorMishap | undefined;
  app: SandboxApp;
  /** Null if the bank's pages cannot ask for passkeys. */
  passkeys: PasskeyChecks | null;
};

/**
 * Creates the sandbox bank's second factor. A challenge's code is derived from the customer's
 * secret and the challenge's id, which contains a hash of the subject, as in an authenticator that
 * shows what it signs. The code of any other challenge or amount is therefore wrong. Source:
 * SCA-RTS article 5(1)(b) to (d).
 *
 * A challenge is stored at its first answer. This needs no flush: the login, in the same database,
 * stores its own afterwards.
 */
export function createChallengeCalls(
  database: Database,
  clock: Clock,
  { mishapOf, app, passkeys }: FactorOptions,
): ChallengeCalls {
  // secrets never change, and no part of the sandbox changes a number
  const devices = new Map<string, Device>();
  async function deviceOf(customerId: string): Promise<Device | undefined> {
    const known = devices.get(customerId);
    if (known !== undefined) return known;
    const found = await first<Device>(
      database,
      sql`select c.totp_secret as secret, right(p.contact->>'mobile', 3) as ending,
          c.login
        from customer c left join party p on p.party_id = c.customer_id
        where c.customer_id = ${customerId}`,
    );
    if (found) devices.set(customerId, found);
    return found;
  }
  /** The right code and the end of a challenge; undefined if it cannot be answered any more. */
  async function open(challengeId: string): Promise<OpenChallenge | undefined> {
    const asked = readId(challengeId);
    if (!asked || Temporal.Instant.compare(asked.expiresAt, clock.now()) <= 0) return undefined;
    const device = await deviceOf(asked.customerId);
    if (device === undefined) return undefined;
    const code = codeFrom(device.secret, challengeId);
    const number = digitsFrom(device.secret, challengeId);
    const signed = signedFrom(device.secret, challengeId, asked.hash);
    return { ...asked, code, number, signed, isRefused: mishapOf(device.login) === "refused" };
  }
  return {
    async challenge(customerId, subject, { method, journey }) {
      const device = await deviceOf(customerId);
      const isOver = device !== undefined && mishapOf(device.login) === "expired";
      const end = journey?.expiresAt ?? clock.now().add({ minutes: codeMinutes });
      const expiresAt = isOver ? clock.now() : end;
      const asked = { customerId, expiresAt, hash: subjectHash(subject) };
      // every customer has the app, but most prefer codes
      if (journey) return { challengeId: writeId(asked, alone), method: "decoupled", expiresAt };
      if (device !== undefined && method !== "code" && passkeys) {
        const challengeId = writeId(asked, "passkey");
        const signed = () => signedFrom(device.secret, challengeId, asked.hash);
        const request = await passkeys.request(customerId, signed);
        const passkey = request && { request, hasCode: true };
        if (passkey) return { challengeId, method: "passkey", expiresAt, passkey };
      }
      const challengeId = writeId(asked, "sca");
      if (device !== undefined && method !== "code" && app.isUsedBy(device.login)) {
        const digits = digitsFrom(device.secret, challengeId);
        const offer = { digits, appLink: app.urlOf(challengeId), hasCode: true };
        return { challengeId, method: "decoupled", expiresAt, app: offer };
      }
      const ending = device?.ending ?? null;
      const sentTo = ending === null ? {} : { sentTo: `mobile ending ${ending}` };
      return { challengeId, method: "code", expiresAt, ...sentTo };
    },

    async verify(challengeId, given) {
      const challenge = await open(challengeId);
      if (!challenge) return false;
      const { customerId, signed } = challenge;
      const proof = challenge.byPasskey
        ? ((await passkeys?.check(customerId, signed, given)) ?? null)
        : isSameText(given, challenge.code) && "code";
      const isRight = Boolean(proof) && !challenge.isRefused;
      // one statement counts the attempt and uses the challenge, so concurrent attempts all count;
      // it also does what a tester has asked for
      const tried = await first<{ isRight: boolean }>(
        database,
        sql`with failing as (
            delete from sandbox_failing_code where customer_id = ${challenge.customerId}
            returning customer_id
          )
          insert into sandbox_challenge as c (challenge_id, tries, used_at, expires_at)
          select ${challengeId}, case when f.customer_id is null then 1 else ${triesAllowed} end,
            case when f.customer_id is null then ${isRight ? clock.now() : null}::timestamptz end,
            ${challenge.expiresAt}
          from (values (true)) one left join failing f on true
          on conflict (challenge_id) do update
            set tries = c.tries + excluded.tries, used_at = excluded.used_at
            where c.used_at is null and c.tries < ${triesAllowed}
          returning used_at is not null as "isRight", ${unflushed}`,
      );
      if (!tried?.isRight || !proof) return false;
      if (proof === "code") return true;
      return (await passkeys?.count(proof)) === true && { amr: proof.amr };
    },

    ...createAppCalls({ database, clock, open }),

    async codeOf(challengeId) {
      const challenge = await open(challengeId);
      return challenge && !challenge.byPasskey ? challenge.code : null;
    },
  };
}

/** A challenge that can be answered, with the right code and the digits for the app. */
type OpenChallenge = Asked & {
  code: string;
  number: string;
  /** What a passkey signs. */
  signed: string;
  isRefused: boolean;
};

type AppParts = {
  database: Database;
  clock: Clock;
  open(challengeId: string): Promise<OpenChallenge | undefined>;
};

/** Creates the sandbox bank's app. A challenge has one row with its answer, by whatever way. */
const createAppCalls = ({
  database,
  clock,
  open,
}: AppParts): Pick<ChallengeCalls, "challengeResult" | "answerInApp"> => ({
  async challengeResult(challengeId): Promise<ChallengeResult> {
    const asked = readId(challengeId);
    const row = await first<Answered>(
      database,
      sql`select used_at as at, tries, expires_at as "expiresAt" from sandbox_challenge
        where challenge_id = ${challengeId}`,
    );
    if (!asked) return { state: "expired" };
    if (row?.at) {
      return { state: "approved", at: row.at, amr: appMethods, subjectHash: asked.hash };
    }
    if (row && row.tries >= triesAllowed) return { state: "declined" };
    const { expiresAt } = row ?? asked;
    const isOver = Temporal.Instant.compare(expiresAt, clock.now()) <= 0;
    return { state: isOver ? "expired" : "pending" };
  },

  async answerInApp(challengeId, decision, digits) {
    const challenge = await open(challengeId);
    if (!challenge) return "over";
    // without a page, there are no digits to compare
    const hasPage = !challengeId.startsWith(`${alone}-`);
    if (decision === "approve" && hasPage && digits !== challenge.number) return "wrong digits";
    const now = clock.now();
    const tries = { approve: 1, decline: triesAllowed, expire: 0 }[decision];
    const usedAt = decision === "approve" ? now : null;
    const rows = await database.query(sql`
      insert into sandbox_challenge (challenge_id, tries, used_at, expires_at)
      values (${challengeId}, ${tries}, ${usedAt},
        ${decision === "expire" ? now : challenge.expiresAt})
      on conflict do nothing returning challenge_id`);
    return rows.length === 1 ? "done" : "over";
  },
});

/**
 * Makes the bank refuse the next code that a customer enters, even if it is right; its challenge
 * then accepts no other code.
 */
export const failNextCode = async (on: Queryable, customerId: string): Promise<void> => {
  await on.query(sql`
    insert into sandbox_failing_code (customer_id) values (${customerId}) on conflict do nothing`);
};

function writeId(
  { customerId, expiresAt, hash }: Omit<Asked, "byPasskey">,
  prefix: "sca" | "passkey" | "app",
): string {
  const end = expiresAt.epochMilliseconds.toString(36);
  return [newId(prefix), end, hash, customerId].join(".");
}

function readId(challengeId: string): Asked | undefined {
  const [, end, hash, customerId] = idForm.exec(challengeId) ?? [];
  if (end === undefined || hash === undefined || customerId === undefined) return undefined;
  const expiresAt = Temporal.Instant.fromEpochMilliseconds(Number.parseInt(end, 36));
  return { customerId, expiresAt, hash, byPasskey: challengeId.startsWith("passkey-") };
}

type Answered = { at: Temporal.Instant | null; tries: number; expiresAt: Temporal.Instant };

function digitsFrom(secret: string, challengeId: string): string {
  const mac = createHmac("sha256", secret).update(`number ${challengeId}`).digest();
  return String(mac.readUInt32BE(0) % 100).padStart(2, "0");
}

function signedFrom(secret: string, challengeId: string, hash: string): string {
  const mac = createHmac("sha256", secret).update(`passkey ${challengeId}`).digest();
  const random = mac.subarray(0, randomBytes);
  return Buffer.concat([random, Buffer.from(hash, "base64url")]).toString("base64url");
}

function codeFrom(secret: string, challengeId: string): string {
  const mac = createHmac("sha256", secret).update(challengeId).digest();
  return String(mac.readUInt32BE(0) % 10 ** digits).padStart(digits, "0");
}

/** Deletes challenges that expired more than a day ago. */
export const purgeSandboxChallenges = async (
  on: Queryable,
  now: Temporal.Instant,
): Promise<void> => {
  await on.query(sql`
    delete from sandbox_challenge where ctid = any(array(
      select ctid from sandbox_challenge where expires_at <= ${now.subtract({ hours: 24 })}
      limit 5000 for update skip locked))`);
};
