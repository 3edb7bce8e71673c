import { type Authority, isEnding, issueLeaf } from "./authority.ts";
import type { TppRequest } from "./create-tpp.ts";
import { createTpp, registerTpp, subjectOf } from "./create-tpp.ts";
import type { IssuedTpp } from "./issued-tpp.ts";
import { signingJwk } from "./keys.ts";

/**
 * The ready TPP of that name: made at the first start, kept in the folder with its private keys,
 * registered again when the database is a new one, its certificates renewed before they end.
 */
export async function ensureReadyTpp(
  authority: Authority,
  name: string,
  request: TppRequest,
): Promise<IssuedTpp> {
  const { folder, clock } = authority;
  const file = `tpps/${name}/tpp.json`;
  let made: IssuedTpp | undefined;
  const text = await folder.take(file, async () => {
    made = await createTpp(authority, request);
    return JSON.stringify(made, null, 2);
  });
  const kept: IssuedTpp = JSON.parse(text); // written by this function
  const tpp = isEnding(kept.transport.certificatePem, clock.now())
    ? await renewCertificates(authority, kept)
    : kept;
  if (tpp.clientId !== made?.clientId) {
    await registerTpp(authority, tpp, await signingJwk(tpp.signing.privateKeyPem));
  }
  if (made || tpp !== kept) writeFiles(authority, name, tpp);
  return tpp;
}

// The keys and the subject stay: the registration holds for the new certificates too.
async function renewCertificates(authority: Authority, tpp: IssuedTpp): Promise<IssuedTpp> {
  const subject = subjectOf(tpp);
  const issue = async <Held extends { privateKeyPem: string }>(
    held: Held,
    use: "client" | "signing",
  ) => ({
    ...held,
    certificatePem: await issueLeaf(authority, { subject, subjectKeyPem: held.privateKeyPem, use }),
  });
  return {
    ...tpp,
    signing: await issue(tpp.signing, "signing"),
    transport: await issue(tpp.transport, "client"),
  };
}

function writeFiles({ folder }: Authority, name: string, tpp: IssuedTpp): void {
  const files = {
    "tpp.json": JSON.stringify(tpp, null, 2),
    "transport.key.pem": tpp.transport.privateKeyPem,
    "transport.pem": tpp.transport.certificatePem,
    "signing.key.pem": tpp.signing.privateKeyPem,
    "signing.pem": tpp.signing.certificatePem,
    "ca.pem": tpp.caPem,
  };
  for (const [file, text] of Object.entries(files)) folder.write(`tpps/${name}/${file}`, text);
}
