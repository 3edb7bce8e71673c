import type { X509Certificate } from "node:crypto";
import type { Auth } from "#src/auth/authorization-server.ts";
import { clientPaths } from "#src/auth/provider/endpoints.ts";
import type { TppCertificate } from "#src/certificates/tpp-certificate.ts";
import { operationFinder } from "#src/http/register-operations.ts";
import { readDetached } from "#src/http/signature/jws.ts";
import { jwsClaims } from "#src/http/signature/message-signer.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { JudgedText, Pasted } from "#src/request-log/explain/judged-text.ts";
import { loadSigningFacts, type SigningFacts } from "#src/request-log/explain/signing-facts.ts";
import { trustAnchorsOf } from "#src/server/opening/message-signing.ts";
import type { Parts } from "#src/server/parts.ts";
import { sql } from "#src/storage/sql.ts";
import { judgeChain } from "./judge-certificate.ts";
import { type JwtSources, judgeJwt } from "./judge-jwt.ts";
import { judgeRequest, judgeSigned, type MessageSources } from "./judge-message.ts";
import { type PastedRequest, recognise } from "./recognise.ts";

// What the sandbox says about a message, a JWT or a certificate that nobody has sent. recognise.ts
// finds what was pasted. Each judge runs the checks that the bank makes of what is sent. Nothing
// that is pasted is stored or logged.

type JudgeParts = Parts & { auth: Auth };

/** Makes the judge of what is pasted. Throws SandboxRefusal for a private key. */
export function createJudge(parts: JudgeParts): (pasted: Pasted) => Promise<JudgedText> {
  const { clientTrust, config, clock, machineClock, operations } = parts;
  const messages: MessageSources = {
    operations,
    findOperation: operationFinder(operations),
    trustAnchors: trustAnchorsOf(config.TRUST_ANCHOR, config.ALDGATE_PROFILE),
    times: () => ({
      bankTime: clock.now().epochMilliseconds / 1000,
      realTime: machineClock.now().epochMilliseconds / 1000,
    }),
  };
  const jwts: JwtSources = {
    dryRun: parts.auth.dryRun,
    lint: parts.registration.lint,
    lintStatement: parts.registration.lintStatement,
    keyRing: parts.keyRing,
    issuer: parts.publicUrl,
    now: () => machineClock.now().epochMilliseconds / 1000,
  };
  return async ({ text, signature, clientId }) => {
    const found = recognise(text);
    const signer = (header: string | undefined) => findSigner(parts, header, clientId);
    switch (found.is) {
      case "certificates": {
        const chain = found.certificates as [X509Certificate, ...X509Certificate[]];
        const clientsOf = (facts: TppCertificate) => listClients(parts, facts);
        return judgeChain(chain, { trust: clientTrust.trust, clientsOf });
      }
      case "jwt":
        return judgeJwt(found.text, jwts);
      case "request": {
        const carried = jwtsOf(found.request);
        if (carried.length > 0) return judgeCarried(carried, jwts);
        const header = found.request.headers["x-jws-signature"];
        return judgeRequest(found.request, await signer(header), messages);
      }
      case "body":
      case "signature": {
        const header = found.is === "signature" ? found.text : signature;
        if (header === undefined) return unknown(bodyAlone);
        const body = found.is === "body" ? text : "";
        const judged = judgeSigned({ header, body, signing: await signer(header) }, messages);
        return found.is === "body" ? judged : { ...judged, next: signatureAlone };
      }
      default:
        return unknown(found.why);
    }
  };
}

const bodyAlone =
  "It is a body of JSON. Add its x-jws-signature to judge the signature, or paste the whole " +
  "request, from its method and path on, to judge the body too.";
const signatureAlone =
  "It is a signature without its body: only its header is judged. Paste the body, and give the " +
  "signature beside it.";

const unknown = (why: string): JudgedText => ({
  subject: "unknown",
  id: "",
  summary: "This cannot be judged.",
  checks: [],
  faults: [],
  signature: null,
  facts: [],
  next: why,
});

/** The JWTs that a request to the authorization server or the registration carries. */
function jwtsOf({ path, query, body, headers }: PastedRequest): Carried[] {
  if (path === "/register" || path.startsWith("/register/")) {
    return body.trim() === "" ? [] : [{ name: "request", text: body.trim() }];
  }
  const form = new URLSearchParams(body.trim());
  const named = ["client_assertion", "request", "software_statement"].flatMap((name) => {
    const text = form.get(name) ?? query.get(name);
    return text === null ? [] : [{ name, text }];
  });
  const { dpop } = headers;
  const all = dpop === undefined ? named : [...named, { name: "DPoP", text: dpop }];
  const isBackchannel = path === clientPaths.backchannel_authentication;
  return all.map((one) => ({ ...one, isBackchannel: isBackchannel && one.name === "request" }));
}

type Carried = { name: string; text: string; isBackchannel?: boolean };

/** Judges each JWT of a request; the first that is refused decides. */
async function judgeCarried(carried: readonly Carried[], sources: JwtSources): Promise<JudgedText> {
  const all: { name: string; judged: JudgedText }[] = [];
  for (const { name, text, isBackchannel } of carried) {
    all.push({ name, judged: await judgeJwt(text, sources, isBackchannel) });
  }
  const refused = all.find(({ judged }) => judged.faults.length > 0);
  return {
    subject: "message",
    id: "",
    summary: all.map(({ name, judged }) => `${name}: ${judged.summary}`).join(" "),
    checks: all.flatMap(({ name, judged }) =>
      judged.checks.map((check) => ({ ...check, name: `${name}: ${check.name}` })),
    ),
    faults: all.flatMap(({ judged }) => judged.faults),
    signature: null,
    facts: all.flatMap(({ name, judged }) =>
      judged.facts.map((fact) => ({ ...fact, name: `${name}: ${fact.name}` })),
    ),
    next: refused?.judged.next ?? "Nothing is wrong with what this request carries.",
  };
}

/** The client that a signature names as its issuer, or that the caller names. */
async function findSigner(
  { database, machineClock }: JudgeParts,
  header: string | undefined,
  clientId: string | undefined,
): Promise<SigningFacts | null> {
  const at = machineClock.now();
  if (clientId) return loadSigningFacts(database, clientId, at);
  const [organisationId = "", softwareId = ""] = issuerOf(header).split("/");
  const [found] = await database.query<{ clientId: string }>(sql`
    select client_id as "clientId" from client
    where organisation_id = ${organisationId} and software_id = ${softwareId}
    order by created_at desc limit 1`);
  return found ? loadSigningFacts(database, found.clientId, at) : null;
}

function issuerOf(header: string | undefined): string {
  try {
    return textOf(readDetached(header ?? "").claims[jwsClaims.issuer] ?? "");
  } catch {
    return ""; // the judgement says why it cannot be read
  }
}

const mostClients = 10;

/** The clients whose certificates are of the same organisation, and of the same software. */
async function listClients(
  { database }: JudgeParts,
  { organisationId, softwareId }: TppCertificate,
): Promise<string[]> {
  const found = await database.query<{ clientId: string }>(sql`
    select client_id as "clientId" from client
    where organisation_id = ${organisationId}
      and (${softwareId}::text is null or software_id = ${softwareId})
    order by client_id limit ${mostClients}`);
  return found.map(({ clientId }) => clientId);
}
