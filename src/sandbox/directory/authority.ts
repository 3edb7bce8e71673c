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
  /** The bank's clock, which may be ahead of the machine's or behind it. */
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

type Clocks = Pick<Authority, "clock" | "bankClock">;

/** The machine's and the bank's time, the earlier one first. */
export const timesOf = ({ clock, bankClock }: Clocks): [Temporal.Instant, Temporal.Instant] => {
  const [one, other] = [clock.now(), bankClock.now()];
  return Temporal.Instant.compare(one, other) <= 0 ? [one, other] : [other, one];
};

/** Certificates that expire before this time, by the machine's or the bank's clock, are renewed. */
export const renewalLimit = (clocks: Clocks): Temporal.Instant =>
  timesOf(clocks)[1].add({ hours: lifetimes.renewalDays * 24 });

/** Whether a certificate expires soon enough to be renewed. */
export function isEnding(certificatePem: string, authority: Clocks): boolean {
  const end = new X509Certificate(certificatePem).validToDate.getTime();
  return end < renewalLimit(authority).epochMilliseconds;
}

/**
 * Issues a certificate of the directory. It is valid now both by the machine's clock and by the
 * bank's.
 */
export function issueLeaf(
  { ca, publicUrl, ...clocks }: Clocks & Pick<Authority, "ca" | "publicUrl">,
  leaf: {
    subject: Name;
    subjectKeyPem: string;
    use: "server" | "client" | "signing";
    hosts?: string[];
  },
): string {
  const [earlier, later] = timesOf(clocks);
  return issueCertificate({
    ...leaf,
    issuer: ca.name,
    issuerKeyPem: ca.privateKeyPem,
    from: earlier.subtract({ hours: 1 }), // other machines' clocks may be behind
    to: later.add({ hours: lifetimes.leafDays * 24 }),
    status: {
      listUrl: `${publicUrl}${statusPaths.list}`,
      responderUrl: `${publicUrl}${statusPaths.responder}`,
    },
  });
}
