import type { Authority } from "./authority.ts";
import type { TppRequest } from "./create-tpp.ts";
import { createTpp, registerTpp } from "./create-tpp.ts";
import { loadTpp } from "./held-certificates.ts";
import { type IssuedTpp, withCertificates } from "./issued-tpp.ts";
import { signingJwk } from "./keys.ts";

/**
 * Returns the ready TPP with that name and its newest certificates. The first start creates the TPP
 * and stores it with its private keys in the folder. In a new database it is registered again.
 */
export async function ensureReadyTpp(
  authority: Authority,
  name: string,
  request: TppRequest,
): Promise<IssuedTpp> {
  const { folder } = authority;
  const file = `tpps/${name}/tpp.json`;
  let made: IssuedTpp | undefined;
  const text = await folder.take(file, async () => {
    made = await createTpp(authority, request);
    return JSON.stringify(made, null, 2);
  });
  const kept: IssuedTpp = JSON.parse(text); // written by this function
  const tpp = withCertificates(kept, await loadRegistered(authority, kept));
  const isNewer = tpp.transport.certificatePem !== kept.transport.certificatePem;
  if (made || isNewer) writeFiles(authority, name, tpp);
  return tpp;
}

async function loadRegistered(authority: Authority, kept: IssuedTpp) {
  const known = await loadTpp(authority, kept.clientId);
  if (known) return known;
  await registerTpp(authority, kept, await signingJwk(kept.signing.privateKeyPem));
  return (await loadTpp(authority, kept.clientId)) ?? kept;
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
