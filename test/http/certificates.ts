import { issueCertificate, type Name } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";

export type Pair = { key: string; cert: string };
export type Authority = { cert: string; issue(subject: Name | string): Promise<Pair> };

const from = Temporal.Instant.from("2020-01-01T00:00:00Z");
const to = Temporal.Instant.from("2049-01-01T00:00:00Z");
const named = (value: string): Name => [{ attribute: "CN", value }];

/** A certificate authority of its own; for `localhost` it issues a server's, else a client's. */
export async function makeAuthority(name: string): Promise<Authority> {
  const { privateKeyPem: issuerKeyPem } = await generateRsaKey();
  const own = { issuer: named(name), issuerKeyPem, from, to };
  return {
    cert: await issueCertificate({
      ...own,
      subject: named(name),
      subjectKeyPem: issuerKeyPem,
      use: "authority",
    }),
    async issue(subject) {
      const { privateKeyPem } = await generateRsaKey();
      const isServer = subject === "localhost";
      const cert = await issueCertificate({
        ...own,
        subject: typeof subject === "string" ? named(subject) : subject,
        subjectKeyPem: privateKeyPem,
        use: isServer ? "server" : "client",
        hosts: isServer ? ["localhost", "127.0.0.1"] : [],
      });
      return { cert, key: privateKeyPem };
    },
  };
}
