import type { X509Certificate } from "node:crypto";
import type { ClientTrust } from "#src/certificates/client-trust.ts";
import { readTppCertificate, type TppCertificate } from "#src/certificates/tpp-certificate.ts";
import {
  type CertificateFault,
  judgeCertificate,
} from "#src/http/connection/client-certificate.ts";
import { describe } from "#src/http/refusal/refusals.ts";
import { explainedReason } from "#src/request-log/explain/explain-request.ts";
import type { JudgedCheck, JudgedText } from "#src/request-log/explain/judged-text.ts";

/** The checks of a client certificate in their order, with the reasons that refuse. */
const rows: readonly { name: string; reasons: readonly CertificateFault["reason"][] }[] = [
  { name: "key usage", reasons: ["certificateUsage"] },
  { name: "chain, dates and key", reasons: ["certificateUntrusted"] },
  { name: "revocation", reasons: ["certificateRevoked", "certificateUnchecked"] },
  { name: "for web sites, not seals", reasons: ["certificateSeal"] },
];

/** What else the judge knows: the trust of the bank, and the clients of some software. */
type Sources = {
  trust: ClientTrust;
  clientsOf(certificate: TppCertificate): Promise<readonly string[]>;
};

/** Judges a client certificate as the mutual TLS listener does, with those sent beside it. */
export async function judgeChain(
  [certificate, ...sent]: readonly [X509Certificate, ...X509Certificate[]],
  { trust, clientsOf }: Sources,
): Promise<JudgedText> {
  const facts = factsOf(certificate);
  await preparing(trust, certificate, sent);
  const { fault } = judgeCertificate({ certificate, sent, problem: null }, trust);
  const at = fault ? rows.findIndex(({ reasons }) => reasons.includes(fault.reason)) : rows.length;
  const message = fault && describe(fault.reason, "sandbox", fault.facts);
  const checks = rows.map(({ name }, index): JudgedCheck => {
    if (index === at) return { name, result: "refused", detail: message };
    return { name, result: index < at ? "passed" : "not reached", detail: null };
  });
  const found = fault && explainedReason(fault.reason, message, () => null);
  const clients = facts ? await clientsOf(facts) : [];
  const isSigning = facts !== null && !certificate.ca && /Signing|Seal/.test(facts.type);
  return {
    subject: "certificate",
    id: facts?.thumbprint ?? "",
    summary: `${kindOf(certificate, facts)} The mutual TLS listener ${
      fault === null ? "accepts it" : "does not accept it as a client certificate"
    }.`,
    checks,
    faults: found ? [found] : [],
    signature: null,
    facts: facts
      ? [...linesOf(facts), { name: "clients", value: clients.join(", ") || "none" }]
      : [],
    next: nextOf(found?.next ?? null, { isSigning, clients }),
  };
}

async function preparing(
  trust: ClientTrust,
  certificate: X509Certificate,
  sent: readonly X509Certificate[],
): Promise<void> {
  try {
    await trust.prepare(certificate, sent);
  } catch {
    // judged as malformed
  }
}

function factsOf(certificate: X509Certificate): TppCertificate | null {
  try {
    return readTppCertificate(certificate);
  } catch {
    return null;
  }
}

/** What a certificate is. That of an authority signs others, and is no kind of a TPP's. */
function kindOf(certificate: X509Certificate, facts: TppCertificate | null): string {
  if (!certificate.ca) return `A certificate of the kind ${facts?.type ?? "unknown"}.`;
  const isRoot = certificate.checkIssued(certificate);
  return `A certificate of an authority${isRoot ? ": its root" : ""}. It signs other certificates.`;
}

function nextOf(
  advice: string | null,
  { isSigning, clients }: { isSigning: boolean; clients: readonly string[] },
): string {
  if (isSigning) {
    return "Sign with the key of this certificate, and connect with the transport certificate.";
  }
  if (advice !== null) return advice;
  if (clients.length > 0) return "Nothing is wrong with this certificate.";
  return "Register the software of this certificate: no client of the bank has it.";
}

function linesOf(facts: TppCertificate): { name: string; value: string }[] {
  const lines: [string, string | null | undefined][] = [
    ["organisation", facts.organisationId],
    ["software", facts.softwareId],
    ["organizationIdentifier", facts.organizationIdentifier],
    ["PSD2 roles", facts.psd2?.roles.join(", ")],
    ["extended key usages", facts.usages.join(", ") || "none"],
    ["valid from", facts.notBefore.toString()],
    ["valid until", facts.notAfter.toString()],
    ["serial number", facts.serial],
    ["x5t#S256", facts.thumbprint],
  ];
  return lines.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}
