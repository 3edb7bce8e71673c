import { X509Certificate } from "node:crypto";
import { securityProfileOf } from "#src/clients/security-profile.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type Authority, issueLeaf, renewalLimit } from "./authority.ts";
import { storeRevocation } from "./certificate-status.ts";
import { type IssuedTpp, subjectOf, type TppCertificates } from "./issued-tpp.ts";
import { certificateThumbprint } from "./keys.ts";

/** The tables of the directory, in the order in which rows refer to rows. */
export const directoryTables = [
  "directory_software",
  "directory_key",
  "sandbox_certificate",
  "sandbox_revoked_certificate",
] as const;

type Use = "client" | "signing";
type Held = { clientId: string; use: Use; certificatePem: string };
type Certificates = Pick<TppCertificates, "signing" | "transport">;

const idOf = ({ ca }: Authority): string => certificateThumbprint(ca.certificatePem);
const endOf = (certificatePem: string): Temporal.Instant =>
  new X509Certificate(certificatePem).validToDate.toTemporalInstant();

/** Stores the first certificates of a registered TPP. Does not replace stored certificates. */
export async function storeCertificates(authority: Authority, tpp: IssuedTpp): Promise<void> {
  const { clientId, transport, signing } = tpp;
  await authority.database.query(sql`
    insert into sandbox_certificate (client_id, use, certificate_pem, ends_at, authority)
    values
      (${clientId}, 'client', ${transport.certificatePem}, ${endOf(transport.certificatePem)},
        ${idOf(authority)}),
      (${clientId}, 'signing', ${signing.certificatePem}, ${endOf(signing.certificatePem)},
        ${idOf(authority)})
    on conflict do nothing`);
}

/**
 * Loads a TPP with its newest stored certificates. Returns null if the directory issued none to it.
 */
export async function loadTpp(
  authority: Authority,
  clientId: string,
): Promise<TppCertificates | null> {
  const { database, ca } = authority;
  const row = await first<Omit<TppCertificates, "caPem" | "profile" | keyof Certificates> & Kept>(
    database,
    sql`select cl.client_id as "clientId", cl.organisation_id as "organisationId",
        cl.software_id as "softwareId", sw.name, sw.roles,
        cl.metadata -> 'redirect_uris' as "redirectUris",
        cl.metadata ->> 'token_endpoint_auth_method' as "tokenEndpointAuthMethod",
        cs.certificate_bound as "certificateBound",
        cl.metadata ->> 'software_statement' as "softwareStatement", cl.metadata,
        (select k.kid from client_key k where k.client_id = cl.client_id and k.use = 'sig'
          and k.state = 'active' order by k.created_at, k.kid limit 1) as kid,
        t.certificate_pem as "transportPem", s.certificate_pem as "signingPem",
        t.authority = s.authority and t.authority = ${idOf(authority)}
          and least(t.ends_at, s.ends_at) >= ${renewalLimit(authority)} as "isGood"
      from client cl
      join client_setting cs on cs.client_id = cl.client_id
      join software sw on sw.software_id = cl.software_id
      join sandbox_certificate t on t.client_id = cl.client_id and t.use = 'client'
      join sandbox_certificate s on s.client_id = cl.client_id and s.use = 'signing'
      where cl.client_id = ${clientId}`,
  );
  if (!row) return null;
  if (!row.isGood) {
    await renewEnding(authority, clientId);
    return loadTpp(authority, clientId);
  }
  const { kid, metadata, transportPem, signingPem, isGood, ...tpp } = row;
  return {
    ...tpp,
    profile: securityProfileOf(metadata).id,
    signing: { kid, certificatePem: signingPem },
    transport: { certificatePem: transportPem },
    caPem: ca.certificatePem,
  };
}

type Kept = {
  kid: string;
  metadata: object;
  transportPem: string;
  signingPem: string;
  isGood: boolean;
};

/**
 * Renews certificates that expire soon: all that this directory issued or, if a client is given,
 * that TPP's, including those that another root issued. Keys and subjects do not change, so the
 * registration stays valid. If two processes renew a certificate, the second changes nothing.
 */
export async function renewEnding(authority: Authority, clientId?: string): Promise<void> {
  const { database } = authority;
  const limit = renewalLimit(authority);
  const own = idOf(authority);
  const which =
    clientId === undefined
      ? sql`h.authority = ${own} and h.ends_at < ${limit}`
      : sql`h.client_id = ${clientId} and (h.authority <> ${own} or h.ends_at < ${limit})`;
  const ending = await database.query<Subject>(sql`${heldCertificates} where ${which}`);
  for (const held of ending) await replace(authority, held);
}

/**
 * Revokes the newest certificate of a TPP, and issues another one for the same key and subject.
 * Returns null if the directory issued none to it.
 */
export async function revokeCertificate(
  authority: Authority,
  clientId: string,
  use: Use,
): Promise<TppCertificates | null> {
  const { clock, database } = authority;
  const held = await first<Subject>(
    database,
    sql`${heldCertificates} where h.client_id = ${clientId} and h.use = ${use}`,
  );
  if (!held) return null;
  const { certificatePem } = held;
  await storeRevocation(database, { clientId, certificatePem, revokedAt: clock.now() });
  await replace(authority, held);
  return loadTpp(authority, clientId);
}

type Subject = Held & { organisationId: string; softwareId: string };

const heldCertificates = sql`
  select h.client_id as "clientId", h.use, h.certificate_pem as "certificatePem",
    cl.organisation_id as "organisationId", cl.software_id as "softwareId"
  from sandbox_certificate h join client cl on cl.client_id = h.client_id`;

async function replace(authority: Authority, held: Subject): Promise<void> {
  const publicKey = new X509Certificate(held.certificatePem).publicKey;
  const made = issueLeaf(authority, {
    subject: subjectOf(held),
    subjectKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    use: held.use,
  });
  await authority.database.query(sql`
    with published as (
      update directory_key set certificate_pem = ${made}
      where software_id = ${held.softwareId} and certificate_pem = ${held.certificatePem}
    )
    update sandbox_certificate
    set certificate_pem = ${made}, ends_at = ${endOf(made)}, authority = ${idOf(authority)}
    where client_id = ${held.clientId} and use = ${held.use}
      and certificate_pem = ${held.certificatePem}`);
}
