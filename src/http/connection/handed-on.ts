import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type BlockList, isIPv4 } from "node:net";
import { maySign } from "#src/certificates/key-usage.ts";
import { parseCertificates } from "./certificate-chain.ts";
import type { Presented } from "./client-certificate.ts";

/** The proxies that end TLS and hand on the client's certificate, and the header that they use. */
export type CertificateProxies = {
  networks: BlockList;
  /** In lower case. Its name decides its format. */
  header: string;
};

/** Whether an address is that of such a proxy. */
export function isProxy({ networks }: CertificateProxies, address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/, "");
  return plain !== undefined && networks.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
}

/** The headers of a request that decide its certificate, as one text; null without a certificate. */
export function handedOnText(headers: IncomingHttpHeaders, { header }: CertificateProxies) {
  const value = headers[header];
  if (value === undefined || value === "") return null;
  return header === "client-cert" ? `${value} ${headers["client-cert-chain"] ?? ""}` : `${value}`;
}

/**
 * Reads the certificate that a proxy handed on: in `Client-Cert` and `Client-Cert-Chain` as
 * RFC 9440 defines them, in `X-Forwarded-Client-Cert` as envoy sends it, and in any other header as
 * URL-encoded PEM, which nginx calls `$ssl_client_escaped_cert`. Throws if it is malformed.
 */
export function readHandedOn(text: string, { header }: CertificateProxies): Presented {
  const [certificate, ...sent] =
    header === "client-cert"
      ? fromBytes(text)
      : header === "x-forwarded-client-cert"
        ? fromElement(text)
        : parseCertificates(decodeURIComponent(text));
  if (certificate === undefined) throw new Error("the header has no certificate");
  return { certificate, sent, problem: maySign(certificate) ? null : "INVALID_PURPOSE" };
}

const byteSequence = /^:([A-Za-z0-9+/]+=*):$/;

// a byte sequence of structured fields, then a list of them. Source: RFC 9440 section 2
const fromBytes = (text: string): X509Certificate[] =>
  text
    .split(/[ ,]+/)
    .filter((one) => one !== "")
    .map((one) => {
      const base64 = byteSequence.exec(one)?.[1];
      if (base64 === undefined) throw new Error("the header is not a byte sequence");
      return new X509Certificate(Buffer.from(base64, "base64"));
    });

// With several elements, a proxy has kept what a client sent, and the first could be forged.
function fromElement(text: string): X509Certificate[] {
  const members = text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const isSeveral = text.replace(/"[^"]*"/g, "").includes(",");
  if (isSeveral) throw new Error("the header has several elements: let the proxy set it");
  const certificatesOf = (name: string): X509Certificate[] => {
    const member = members.find((one) => one.toLowerCase().startsWith(`${name}=`)) ?? "";
    const value = member.slice(name.length + 1).replace(/^"(.*)"$/, "$1");
    return parseCertificates(decodeURIComponent(value));
  };
  const [leaf] = certificatesOf("cert");
  const chain = certificatesOf("chain");
  const first = leaf ?? chain[0];
  return first ? [first, ...chain.filter(({ raw }) => !raw.equals(first.raw))] : [];
}
