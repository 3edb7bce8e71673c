import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { issueCertificate, type KeyPem, type Name } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey, signingJwk } from "#src/sandbox/directory/keys.ts";
import { listOf } from "#test/certificates/authorities.ts";
import type { Pair } from "#test/http/certificates.ts";

const name: Name = [{ attribute: "CN", value: "A Trust Framework Root" }];
const from = Temporal.Now.instant().subtract({ hours: 24 });
const to = Temporal.Now.instant().add({ hours: 24 });

/** A trust framework: its authority issues the certificates, its directory publishes the keys. */
export type Framework = {
  rootPem: string;
  /** The directory's host and port. */
  host: string;
  /** The key with which it signs statements. */
  keys: KeyPem;
  kid: string;
  /** The documents of the directory, by path. */
  served: Map<string, object>;
  /** Issues a client certificate, which names the authority's revocation list. */
  issueClient(subject: Name): Promise<Pair>;
  /** Revokes a certificate. The bank finds this in the next list that it reads. */
  revoke(pair: Pair): void;
  close(): void;
};

/** Opens the directory over https and the revocation list over http, on loopback. */
export async function openFramework(): Promise<Framework> {
  const rootKey = await generateRsaKey();
  const own = { issuer: name, issuerKeyPem: rootKey.privateKeyPem, from, to };
  const rootPem = issueCertificate({
    ...own,
    subject: name,
    subjectKeyPem: rootKey.privateKeyPem,
    use: "authority",
  });
  const root = { key: rootKey, certificate: new X509Certificate(rootPem), pem: rootPem };
  const revoked: X509Certificate[] = [];
  const lists = http.createServer(async (_request, response) => {
    response.end(await listOf(root, revoked));
  });
  const serverKey = await generateRsaKey();
  const cert = issueCertificate({
    ...own,
    subject: [{ attribute: "CN", value: "localhost" }],
    subjectKeyPem: serverKey.privateKeyPem,
    use: "server",
    hosts: ["localhost"],
  });
  const served = new Map<string, object>();
  const directory = https.createServer(
    { cert, key: serverKey.privateKeyPem },
    (request, response) => {
      const document = served.get(request.url ?? "");
      response.writeHead(document ? 200 : 404, { "content-type": "application/jwk-set+json" });
      response.end(JSON.stringify(document ?? {}));
    },
  );
  const [listHost, host] = [await hostOf(lists), await hostOf(directory)];
  const keys = await generateRsaKey();
  const jwk = await signingJwk(keys.publicKeyPem);
  served.set("/issuer.jwks", { keys: [jwk] });
  return {
    rootPem,
    host,
    keys,
    kid: jwk.kid,
    served,
    async issueClient(subject) {
      const { privateKeyPem } = await generateRsaKey();
      const certificate = issueCertificate({
        ...own,
        subject,
        subjectKeyPem: privateKeyPem,
        use: "client",
        status: {
          listUrl: `http://${listHost}/root.crl`,
          responderUrl: `http://${listHost}/none`,
        },
      });
      return { cert: certificate, key: privateKeyPem };
    },
    revoke: (pair) => void revoked.push(new X509Certificate(pair.cert)),
    close() {
      for (const server of [lists, directory]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Opens a server on a free loopback port. Returns its host and port. */
async function hostOf(server: http.Server | https.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref(); // a failing test must not keep the process open
  return `localhost:${(server.address() as AddressInfo).port}`;
}
