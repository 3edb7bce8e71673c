import { stableId, stableText } from "#src/sandbox/stable-id.ts";
import { sql } from "#src/storage/sql.ts";
import type { Authority } from "./authority.ts";
import { createTpp, registerTpp, type TppIds, type TppRequest } from "./create-tpp.ts";
import { loadTpp } from "./held-certificates.ts";
import { type IssuedTpp, withCertificates } from "./issued-tpp.ts";
import { signingJwk } from "./keys.ts";

/** The ids of a ready TPP, which are the same in every sandbox. */
const idsOf = (name: string): TppIds => ({
  clientId: stableId("tpp", `client ${name}`),
  organisationId: `00158000${stableText(`organisation ${name}`, 10)}`,
  softwareId: stableText(`software ${name}`, 22),
});

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
    made = await makeTpp(authority, name, request);
    return JSON.stringify(made, null, 2);
  });
  const kept: IssuedTpp = JSON.parse(text); // written by this function
  const tpp = withCertificates(kept, await loadRegistered(authority, kept));
  const isNewer = tpp.transport.certificatePem !== kept.transport.certificatePem;
  if (made || isNewer) writeFiles(authority, name, tpp);
  return tpp;
}

/** Creates the TPP. If its ids belong to a TPP of another folder, it gets new ones. */
function makeTpp(authority: Authority, name: string, request: TppRequest): Promise<IssuedTpp> {
  const { database } = authority;
  const ids = idsOf(name);
  return database.alone("seed", async () => {
    const taken = await database.query(
      sql`select client_id from client where client_id = ${ids.clientId}`,
    );
    return createTpp(authority, request, ...(taken.length === 0 ? [ids] : []));
  });
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
