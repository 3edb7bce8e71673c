import { X509Certificate } from "node:crypto";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { issueCertificate, type KeyPem, type Name } from "./certificates.ts";
import type { KeyFolder } from "./key-folder.ts";

/**
 * The dependencies of issuing: the authority's key, the signing key of software statements, the
 * store.
 */
export type Authority = {
  ca: { privateKeyPem: string; certificatePem: string; name: Name };
  statementKey: { kid: string; privateKeyPem: string };
  folder: KeyFolder;
  database: Database;
  /** The machine's clock, which TLS uses. */
  clock: Clock;
  /** The bank's clock, which may be ahead. It decides when certificates expire and are renewed. */
  bankClock: Clock;
  publicUrl: string;
  generateKey: () => Promise<KeyPem>;
};

/** How long certificates are valid, and how long before their expiry they are renewed. */
export const lifetimes = { authorityDays: 3650, leafDays: 397, renewalDays: 30 } as const;

/** Where the directory serves its list of revoked certificates and answers OCSP requests. */
export const statusPaths = {
  list: "/directory/authority.crl",
  responder: "/directory/ocsp",
} as const;

/** Certificates that expire before this time are renewed. */
export const renewalLimit = ({ bankClock }: Pick<Authority, "bankClock">): Temporal.Instant =>
  bankClock.now().add({ hours: lifetimes.renewalDays * 24 });

/** Whether a certificate expires soon enough to be renewed. */
export function isEnding(certificatePem: string, authority: Pick<Authority, "bankClock">): boolean {
  const end = new X509Certificate(certificatePem).validToDate.getTime();
  return end < renewalLimit(authority).epochMilliseconds;
}

/**
 * Issues a certificate of the directory. It is valid now both by the machine's clock and by the
 * bank's.
 */
export function issueLeaf(
  { ca, clock, bankClock, publicUrl }: Pick<Authority, "ca" | "clock" | "bankClock" | "publicUrl">,
  leaf: {
    subject: Name;
    subjectKeyPem: string;
    use: "server" | "client" | "signing";
    hosts?: string[];
  },
): string {
  return issueCertificate({
    ...leaf,
    issuer: ca.name,
    issuerKeyPem: ca.privateKeyPem,
    from: clock.now().subtract({ hours: 1 }), // other machines' clocks may be behind
    to: bankClock.now().add({ hours: lifetimes.leafDays * 24 }),
    status: {
      listUrl: `${publicUrl}${statusPaths.list}`,
      responderUrl: `${publicUrl}${statusPaths.responder}`,
    },
  });
}
