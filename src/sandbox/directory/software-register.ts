import { createPublicKey } from "node:crypto";
import type { JWK } from "jose";
import { type Algorithm, importKey } from "#src/clients/client-keys.ts";
import { plainText } from "#src/lib/plain-text.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type Authority, issueLeaf } from "./authority.ts";
import { faultsOf, newDirectoryIds, signStatement, type TppRequest } from "./create-tpp.ts";
import { subjectOf, TppRefused } from "./issued-tpp.ts";
import { signingJwk } from "./keys.ts";
import type { TppRole } from "./roles.ts";

/** Software to enter in the directory. */
export type SoftwareRequest = Pick<TppRequest, "name" | "roles" | "redirectUris"> & {
  /** The firm that customers know, if the TPP acts for another. */
  onBehalfOf?: string;
};

/** A key to certify: a public key as PEM text. */
export type KeyRequest = { use: "transport" | "signing"; publicKeyPem: string };

/** The facts that a TPP may change in the directory. */
export type SoftwareChange = {
  organisationStatus?: "Active" | "Revoked" | "Withdrawn";
  softwareStatus?: "Active" | "Inactive" | "Revoked";
  roles?: TppRole[];
  redirectUris?: string[];
};

/** Software in the directory. */
export type DirectorySoftware = {
  organisationId: string;
  softwareId: string;
  name: string;
  onBehalfOf: string | null;
  roles: TppRole[];
  redirectUris: string[];
  organisationStatus: string;
  softwareStatus: string;
  keys: { kid: string; use: "transport" | "signing"; isRevoked: boolean }[];
};

/**
 * The register of software: the steps that a TPP takes in a directory before it registers with a
 * bank.
 */
export type SoftwareRegister = {
  /** Enters an organisation with one piece of software. Throws TppRefused. */
  enter(request: SoftwareRequest): Promise<DirectorySoftware>;
  /** Returns null for unknown software, as the functions below do. */
  find(softwareId: string): Promise<DirectorySoftware | null>;
  change(softwareId: string, change: SoftwareChange): Promise<DirectorySoftware | null>;
  /** Issues a certificate for a key and publishes the key. Throws TppRefused. */
  certify(
    softwareId: string,
    request: KeyRequest,
  ): Promise<{ kid: string; certificatePem: string; caPem: string } | null>;
  /** Moves a key to the list of revoked keys. Returns null if there is no such key. */
  revoke(softwareId: string, kid: string): Promise<DirectorySoftware | null>;
  /** Issues a software statement. Throws TppRefused for software that is not active. */
  state(softwareId: string): Promise<string | null>;
};

type Entry = Omit<DirectorySoftware, "keys">;

/**
 * Opens the register of an authority. It takes keys for the algorithms that the bank's clients may
 * use. Source: R-165.
 */
export function createSoftwareRegister(
  authority: Authority,
  algorithms: readonly Algorithm[],
): SoftwareRegister {
  const { database, clock, ca } = authority;
  const find = (softwareId: string): Promise<DirectorySoftware | null> =>
    findSoftware(database, softwareId);
  return {
    async enter(request) {
      const { name, roles, redirectUris, onBehalfOf = null } = request;
      const faults = faultsOf(request);
      if (name.length > longestName) faults.push(`name: at most ${longestName} characters`);
      if (onBehalfOf !== null && (onBehalfOf.length > longestName || !plainText.test(onBehalfOf))) {
        faults.push(`onBehalfOf: at most ${longestName} plain characters`);
      }
      if (faults.length > 0) throw new TppRefused(faults);
      const { organisationId, softwareId } = newDirectoryIds();
      await database.query(sql`
        insert into directory_software (software_id, organisation_id, name, on_behalf_of, roles,
          redirect_uris, created_at)
        values (${softwareId}, ${organisationId}, ${name.trim()}, ${onBehalfOf}, ${roles}::text[],
          ${redirectUris}::text[], ${clock.now()})`);
      const entered = await find(softwareId);
      if (!entered) throw new Error("the software was entered");
      return entered;
    },
    find,
    async change(softwareId, { organisationStatus, softwareStatus, roles, redirectUris }) {
      await database.query(sql`
        update directory_software
        set organisation_status = coalesce(${organisationStatus}, organisation_status),
          software_status = coalesce(${softwareStatus}, software_status),
          roles = coalesce(${roles ?? null}::text[], roles),
          redirect_uris = coalesce(${redirectUris ?? null}::text[], redirect_uris)
        where software_id = ${softwareId}`);
      return find(softwareId);
    },
    async certify(softwareId, { use, publicKeyPem }) {
      const software = await find(softwareId);
      if (!software) return null;
      const subjectKeyPem = judgeKey(publicKeyPem, algorithms);
      const { kid, ...members } = await signingJwk(subjectKeyPem);
      const certificatePem = issueLeaf(authority, {
        subject: subjectOf(software),
        subjectKeyPem,
        use: use === "transport" ? "client" : "signing",
      });
      const jwkUse = use === "transport" ? "tls" : "sig";
      const jwk = JSON.stringify({ ...members, kid, use: jwkUse });
      await database.query(sql`
        insert into directory_key as k (software_id, kid, use, jwk, certificate_pem, created_at)
        values (${softwareId}, ${kid}, ${jwkUse}, ${jwk}::json, ${certificatePem}, ${clock.now()})
        on conflict (software_id, kid) do update set certificate_pem = excluded.certificate_pem
        where k.revoked_at is null`);
      return { kid, certificatePem, caPem: ca.certificatePem };
    },
    async revoke(softwareId, kid) {
      const rows = await database.query(sql`
        update directory_key set revoked_at = coalesce(revoked_at, ${clock.now()})
        where software_id = ${softwareId} and kid = ${kid} returning kid`);
      return rows.length === 0 ? null : find(softwareId);
    },
    async state(softwareId) {
      const software = await find(softwareId);
      if (software && software.softwareStatus !== "Active") {
        throw new TppRefused([`softwareId: the software is ${software.softwareStatus}`]);
      }
      return software && signStatement(authority, software);
    },
  };
}

const longestName = 40;

const keyWords: Record<Algorithm, string> = {
  PS256: "an RSA public key of at least 2048 bits",
  ES256: "an EC public key on P-256",
};

function judgeKey(publicKeyPem: string, algorithms: readonly Algorithm[]): string {
  try {
    const key = createPublicKey(publicKeyPem);
    const jwk = key.export({ format: "jwk" });
    if (algorithms.some((algorithm) => importKey(jwk, algorithm) !== null)) {
      return key.export({ type: "spki", format: "pem" }).toString();
    }
  } catch {
    // refused below
  }
  const wanted = algorithms.map((algorithm) => keyWords[algorithm]).join(" or ");
  throw new TppRefused([`publicKeyPem: ${wanted} as PEM text`]);
}

/** Finds software in the register; null if it is not there. */
export async function findSoftware(
  on: Queryable,
  softwareId: string,
): Promise<DirectorySoftware | null> {
  const row = await first<Entry & { keys: { kid: string; use: string; isRevoked: boolean }[] }>(
    on,
    sql`select s.organisation_id as "organisationId", s.software_id as "softwareId", s.name,
        s.on_behalf_of as "onBehalfOf", s.roles, s.redirect_uris as "redirectUris",
        s.organisation_status as "organisationStatus", s.software_status as "softwareStatus",
        (select coalesce(json_agg(json_build_object('kid', k.kid, 'use', k.use,
            'isRevoked', k.revoked_at is not null) order by k.created_at, k.kid), '[]')
          from directory_key k where k.software_id = s.software_id) as keys
      from directory_software s where s.software_id = ${softwareId}`,
  );
  if (!row) return null;
  const keys = row.keys.map(({ use, ...key }) => ({
    ...key,
    use: use === "tls" ? ("transport" as const) : ("signing" as const),
  }));
  return { ...row, keys };
}

/** A published key with its certificate. */
type PublishedKey = { jwk: JWK; certificatePem: string };

/**
 * Lists the active or the revoked keys of software in the register; null if it is not in the
 * register.
 */
export async function listPublishedKeys(
  on: Queryable,
  {
    organisationId,
    softwareId,
    isRevoked,
  }: {
    organisationId: string;
    softwareId: string;
    isRevoked: boolean;
  },
): Promise<PublishedKey[] | null> {
  const row = await first<{ keys: PublishedKey[] }>(
    on,
    sql`select coalesce((
          select json_agg(json_build_object('jwk', k.jwk, 'certificatePem', k.certificate_pem)
            order by k.created_at, k.kid)
          from directory_key k
          where k.software_id = s.software_id and (k.revoked_at is not null) = ${isRevoked}
        ), '[]') as keys
      from directory_software s
      where s.software_id = ${softwareId} and s.organisation_id = ${organisationId}`,
  );
  return row?.keys ?? null;
}
