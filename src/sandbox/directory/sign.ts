import { type KeyObject, sign } from "node:crypto";
import { bits, nothing, oid, sequence } from "#src/certificates/der-writer.ts";

/** The signature algorithm of a key, with SHA-256. Sources: RFC 5758, RFC 4055. */
export const algorithmOf = (key: KeyObject): Buffer =>
  key.asymmetricKeyType === "ec"
    ? sequence(oid("1.2.840.10045.4.3.2"))
    : sequence(oid("1.2.840.113549.1.1.11"), nothing);

/** Signs a body: the body, the algorithm and the signature. */
export const signed = (body: Buffer, key: KeyObject): Buffer =>
  sequence(body, algorithmOf(key), bits(sign("sha256", body, key)));
