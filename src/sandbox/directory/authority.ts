import { X509Certificate } from "node:crypto";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { issueCertificate, type KeyPem, type Name } from "./certificates.ts";
import type { KeyFolder } from "./key-folder.ts";

/** What issuing takes: the authority, the signature key of statements, and where to write. */
export type Authority = {
  ca: { privateKeyPem: string; certificatePem: string; name: Name };
  statementKey: { kid: string; privateKeyPem: string };
  folder: KeyFolder;
  database: Database;
  clock: Clock;
  publicUrl: string;
  generateKey: () => Promise<KeyPem>;
};

/** How long certificates live, and how long before their end they are renewed. */
export const lifetimes = { authorityDays: 3650, leafDays: 397, renewalDays: 30 } as const;

/** Whether a certificate is so near its end that it is renewed. */
export function isEnding(certificatePem: string, now: Temporal.Instant): boolean {
  const end = new X509Certificate(certificatePem).validToDate.getTime();
  return end - now.epochMilliseconds < lifetimes.renewalDays * 86_400_000;
}

/** Issues a certificate of the directory, from now on. */
export function issueLeaf(
  { ca, clock }: Pick<Authority, "ca" | "clock">,
  leaf: {
    subject: Name;
    subjectKeyPem: string;
    use: "server" | "client" | "signing";
    hosts?: string[];
  },
): Promise<string> {
  const now = clock.now();
  return issueCertificate({
    ...leaf,
    issuer: ca.name,
    issuerKeyPem: ca.privateKeyPem,
    from: now.subtract({ hours: 1 }), // clocks of others may be behind
    to: now.add({ hours: lifetimes.leafDays * 24 }),
  });
}
