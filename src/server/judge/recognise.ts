import { createPrivateKey, X509Certificate } from "node:crypto";
import { certificateBlocks } from "#src/certificates/pem.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";

/** A request in the form of HTTP/1.1, as far as its text goes. */
export type PastedRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** What was pasted. */
type Recognised =
  | { is: "request"; request: PastedRequest }
  | { is: "jwt"; text: string }
  | { is: "signature"; text: string }
  | { is: "certificates"; certificates: readonly X509Certificate[] }
  | { is: "body"; text: string }
  | { is: "unknown"; why: string };

/** Recognises what was pasted. Throws SandboxRefusal if it has a private key. */
export function recognise(given: string): Recognised {
  const text = given.replaceAll("\r\n", "\n").trim();
  refusePrivateKeys(text);
  const request = readRequest(given);
  if (request) return { is: "request", request };
  if (text.includes("-----BEGIN CERTIFICATE-----")) return readCertificates(text);
  if (text.startsWith("-----BEGIN")) {
    const [kind = ""] = /(?<=^-----BEGIN )[A-Z0-9 ]{1,40}/.exec(text) ?? [];
    return { is: "unknown", why: `It is a PEM text of the kind ${kind}. ${wanted}` };
  }
  const joined = text.replaceAll(/\s/g, "");
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(joined)) return { is: "jwt", text: joined };
  if (/^[\w-]+\.\.[\w-]+$/.test(joined)) return { is: "signature", text: joined };
  if (/^[\w-]+(\.[\w-]*){4}$/.test(joined)) {
    return {
      is: "unknown",
      why: `It is an encrypted JWT, which this bank does not use. ${wanted}`,
    };
  }
  if (text.startsWith("{") || text.startsWith("[")) return { is: "body", text: given };
  return readDer(joined) ?? { is: "unknown", why: wanted };
}

const wanted =
  "Paste a request (method and path, headers, an empty line, the body), a body with its " +
  "x-jws-signature, a JWT in compact form, or certificates in PEM or base64.";

const privateKey =
  "This has a private key. The bank has not kept it. A private key never leaves the machine that " +
  "signs: replace this key if it is more than a key of a sandbox, and paste the certificate or " +
  "the signed message.";

function refusePrivateKeys(text: string): void {
  const joined = text.replaceAll(/\s/g, "");
  const isPem = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY/.test(text);
  const isJwk = /"kty"/.test(text) && /"(d|k|p|dp)"\s{0,8}:\s{0,8}"/.test(text);
  if (isPem || isJwk || isPrivateDer(joined)) throw new SandboxRefusal(400, privateKey);
}

function isPrivateDer(text: string): boolean {
  const der = derOf(text);
  if (der === null) return false;
  return (["pkcs8", "pkcs1", "sec1"] as const).some((type) => {
    try {
      createPrivateKey({ key: der, format: "der", type });
      return true;
    } catch {
      return false;
    }
  });
}

/** The bytes of a DER sequence in base64; null if the text is something else. */
function derOf(text: string): Buffer | null {
  // counted apart, because a proof that the count is linear takes seconds
  const [, digits = ""] = /^(M[A-Za-z0-9+/]+)={0,2}$/.exec(text) ?? [];
  if (digits.length <= 60) return null;
  return Buffer.from(text, "base64");
}

function readDer(text: string): Recognised | null {
  const der = derOf(text);
  return der && readAll([der]);
}

const readCertificates = (text: string): Recognised => readAll(certificateBlocks(text));

const mostCertificates = 6;

function readAll(texts: readonly (string | Buffer)[]): Recognised {
  try {
    const certificates = texts.slice(0, mostCertificates).map((one) => new X509Certificate(one));
    if (certificates.length > 0) return { is: "certificates", certificates };
  } catch {
    // told below
  }
  return { is: "unknown", why: "It looks like a certificate, but it cannot be read as one." };
}

const requestLine = /^(GET|POST|PUT|DELETE|PATCH|HEAD) (\S{1,4096})( HTTP\/[\d.]{1,3})?$/;

function readRequest(given: string): PastedRequest | null {
  const text = given.trimStart();
  const end = /\r?\n\r?\n/.exec(text);
  const head = (end ? text.slice(0, end.index) : text).split(/\r?\n/);
  const found = requestLine.exec((head[0] ?? "").trim());
  if (!found) return null;
  const [, method = "", target = ""] = found;
  const { pathname, searchParams } = URL.parse(target, "http://bank") ?? new URL("http://bank");
  const headers: Record<string, string> = {};
  for (const line of head.slice(1)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  const body = end ? text.slice(end.index + end[0].length) : "";
  return { method, path: pathname, query: searchParams, headers, body };
}
