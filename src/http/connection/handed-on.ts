import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type BlockList, isIPv4 } from "node:net";
import { parseCertificates } from "./certificate-chain.ts";
import type { Presented } from "./client-certificate.ts";

/** The proxies that terminate TLS, and the header in which they forward client certificates. */
export type CertificateProxies = {
  networks: BlockList;
  /** In lower case. Its name decides its format. */
  header: string;
};

/** Whether an address is that of such a proxy. */
export function isProxy({ networks }: CertificateProxies, address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:(\d+\.)/, "$1");
  return plain !== undefined && networks.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
}

/** The headers of a request that decide its certificate, as one text; null without one. */
export function handedOnText(headers: IncomingHttpHeaders, { header }: CertificateProxies) {
  const value = headers[header];
  if (value === undefined || value === "") return null;
  return header === "client-cert" ? `${value}\n${headers["client-cert-chain"] ?? ""}` : `${value}`;
}

/**
 * Reads the certificate that a proxy forwarded: in `Client-Cert` and `Client-Cert-Chain` as
 * RFC 9440 defines them, in `X-Forwarded-Client-Cert` as envoy sends it, and in any other header as
 * URL-encoded PEM, which nginx calls `$ssl_client_escaped_cert`. Throws if it is malformed.
 */
export function readHandedOn(text: string, { header }: CertificateProxies): Presented {
  const [certificate, ...sent] =
    header === "client-cert"
      ? fromBytes(text)
      : header === "x-forwarded-client-cert"
        ? fromElement(text)
        : fromEscaped(text);
  if (certificate === undefined) throw new Error("the header has no certificate");
  return { certificate, sent, problem: null };
}

const byteSequence = /^:([A-Za-z0-9+/]+=*):$/;

// A byte sequence of structured fields, then a list of them. Source: RFC 9440 section 2.
function fromBytes(text: string): X509Certificate[] {
  const [leaf = "", chain = ""] = text.split("\n");
  const issuers = chain.split(",").filter((one) => one.trim() !== "");
  return [leaf, ...issuers].map((one) => {
    const base64 = byteSequence.exec(one.trim())?.[1];
    if (base64 === undefined) throw new Error("the header is not one byte sequence");
    return new X509Certificate(Buffer.from(base64, "base64"));
  });
}

// If a header was sent twice, the first may come from the client, and the proxy did not remove it.
function fromEscaped(text: string): X509Certificate[] {
  if (/[\s,]/.test(text))
    throw new Error("the header has several values: configure the proxy to overwrite it");
  return parseCertificates(decodeURIComponent(text));
}

// If there are several elements, the first may come from the client.
function fromElement(text: string): X509Certificate[] {
  const outside = text.replace(/"[^"]*"/g, "");
  if (/[",]/.test(outside)) {
    throw new Error("the header has several elements: configure the proxy to overwrite it");
  }
  const members: readonly string[] = text.match(/(?:[^";]|"[^"]*")+/g) ?? [];
  const certificatesOf = (name: string): X509Certificate[] => {
    const member = members.find((one) => one.toLowerCase().startsWith(`${name}=`)) ?? "";
    const value = member.slice(name.length + 1).replace(/^"(.*)"$/, "$1");
    return parseCertificates(decodeURIComponent(value));
  };
  const chain = certificatesOf("chain");
  const first = certificatesOf("cert")[0] ?? chain[0];
  return first ? [first, ...chain.filter(({ raw }) => !raw.equals(first.raw))] : [];
}
