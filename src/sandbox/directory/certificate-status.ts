import { createPrivateKey, X509Certificate } from "node:crypto";
import { parseDer, tags } from "#src/certificates/der.ts";
import {
  derValue,
  integer,
  octets,
  oid,
  primitive,
  sequence,
  smallInteger,
  tagged,
  time,
  utcTime,
} from "#src/certificates/der-writer.ts";
import { serialText } from "#src/certificates/serials.ts";
import { nameBytesOf } from "#src/certificates/tpp-certificate.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Authority } from "./authority.ts";
import { algorithmOf, signed } from "./sign.ts";

/** The status information that the sandbox's authority publishes about its certificates. */
export type CertificateStatus = {
  /** Makes the signed list of revoked certificates. Source: RFC 5280 section 5. */
  list(): Promise<Buffer>;
  /** Answers an OCSP request. Source: RFC 6960 section 4.2. */
  respond(request: Buffer): Promise<Buffer>;
};

// so that a revocation is noticed soon
const validSeconds = 10;
const crlNumber = "2.5.29.20";
const basicResponse = "1.3.6.1.5.5.7.48.1.1";

/** Creates the list and the responder of an authority. */
export function createCertificateStatus(
  authority: Pick<Authority, "ca" | "clock" | "database">,
): CertificateStatus {
  const { ca, clock, database } = authority;
  const certificate = new X509Certificate(ca.certificatePem);
  const key = createPrivateKey(ca.privateKeyPem);
  return {
    async list() {
      const now = clock.now();
      const revoked = (await loadRevoked(database)).map(({ serial, revokedAt }) =>
        sequence(integer(Buffer.from(serial, "hex")), utcTime(revokedAt)),
      );
      const number = Math.floor(now.epochMilliseconds / 1000);
      const body = sequence(
        smallInteger(1),
        algorithmOf(key),
        nameBytesOf(certificate).subject,
        utcTime(now),
        utcTime(now.add({ seconds: validSeconds })),
        ...(revoked.length > 0 ? [sequence(...revoked)] : []),
        tagged(0, sequence(sequence(oid(crlNumber), octets(smallInteger(number))))),
      );
      return signed(body, key);
    },
    async respond(request) {
      const certIds = certIdsOf(request);
      if (certIds === null) return sequence(outcome(1));
      const now = clock.now();
      const revoked = new Map(
        (await loadRevoked(database)).map(({ serial, revokedAt }) => [serial, revokedAt]),
      );
      const responses = certIds.map(({ bytes, serial }) =>
        sequence(
          bytes,
          stateOf(revoked.get(serial)),
          time(now),
          tagged(0, time(now.add({ seconds: validSeconds }))),
        ),
      );
      const body = sequence(
        tagged(1, nameBytesOf(certificate).subject),
        time(now),
        sequence(...responses),
      );
      const content = sequence(oid(basicResponse), octets(signed(body, key)));
      return sequence(outcome(0), tagged(0, content));
    },
  };
}

/** Records that a certificate is revoked. */
export const storeRevocation = (
  on: Queryable,
  given: { clientId: string; certificatePem: string; revokedAt: Temporal.Instant },
): Promise<unknown> =>
  on.query(sql`
    insert into sandbox_revoked_certificate (serial, client_id, revoked_at)
    values (${serialOf(given.certificatePem)}, ${given.clientId}, ${given.revokedAt})
    on conflict (serial) do nothing`);

const serialOf = (pem: string): string =>
  serialText(Buffer.from(new X509Certificate(pem).serialNumber, "hex"));

const loadRevoked = (on: Queryable): Promise<{ serial: string; revokedAt: Temporal.Instant }[]> =>
  on.query(sql`
    select serial, revoked_at as "revokedAt" from sandbox_revoked_certificate order by serial`);

/** The certificates that a request asks about; null if it cannot be read. */
function certIdsOf(request: Buffer): { bytes: Buffer; serial: string }[] | null {
  try {
    const list = parseDer(request).at(0).tagged(tags.sequence);
    const ids = (list?.items ?? []).map((one) => one.at(0));
    return ids.map((id) => ({ bytes: id.bytes, serial: serialText(id.at(3).content) }));
  } catch {
    return null;
  }
}

// OCSPResponseStatus: 0 is successful, 1 a malformed request
const outcome = (code: number): Buffer => derValue(0x0a, Buffer.of(code));

// good and revoked are the choices 0 and 1 of CertStatus
function stateOf(revokedAt: Temporal.Instant | undefined): Buffer {
  return revokedAt === undefined ? primitive(0) : tagged(1, time(revokedAt));
}
