import { issueCertificate, type Name } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";

export type Pair = { key: string; cert: string };
type Use = "server" | "client" | "peer";
export type Authority = {
  cert: string;
  issue(subject: Name | string, hosts?: string[], use?: Use): Promise<Pair>;
};

const from = Temporal.Instant.from("2020-01-01T00:00:00Z");
const to = Temporal.Instant.from("2049-01-01T00:00:00Z");
const named = (value: string): Name => [{ attribute: "CN", value }];

/**
 * Makes a certificate authority. For `localhost`, or if hosts are given, it issues a server
 * certificate; otherwise a client certificate, unless another use is given.
 */
export async function makeAuthority(name: string): Promise<Authority> {
  const { privateKeyPem: issuerKeyPem } = await generateRsaKey();
  const own = { issuer: named(name), issuerKeyPem, from, to };
  return {
    cert: issueCertificate({
      ...own,
      subject: named(name),
      subjectKeyPem: issuerKeyPem,
      use: "authority",
    }),
    async issue(
      subject,
      hosts = subject === "localhost" ? ["localhost", "127.0.0.1"] : [],
      use = hosts.length > 0 ? "server" : "client",
    ) {
      const { privateKeyPem } = await generateRsaKey();
      const cert = issueCertificate({
        ...own,
        subject: typeof subject === "string" ? named(subject) : subject,
        subjectKeyPem: privateKeyPem,
        use,
        hosts,
      });
      return { cert, key: privateKeyPem };
    },
  };
}
