import { generateKeyPairSync, type KeyObject } from "node:crypto";
import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { appOptions } from "#src/http/connection/listeners.ts";
import { createMetrics } from "#src/http/connection/observe.ts";
import type { HttpKit } from "#src/http/kit.ts";
import type { Operation } from "#src/http/operation.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type ApiOptions, serveApis } from "#src/server/routes/serve-apis.ts";
import { createFileSigner } from "#src/signing/locate-key.ts";

let made: { key: KeyObject; publicKey: KeyObject } | undefined;

/** Returns the key pair with which every bank of a test file signs. The first call makes it. */
export function bankKeys(): { key: KeyObject; publicKey: KeyObject } {
  if (!made) {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    made = { key: pair.privateKey, publicKey: pair.publicKey };
  }
  return made;
}

/** The options of a served bank that differ between tests. */
export type ServeOptions = Pick<ApiOptions, "database" | "clock"> &
  Partial<ApiOptions> & { fastify?: FastifyServerOptions };

const bodyLimit = 65_536;

/** Serves operations in the same way as the server, but without a network. */
export async function serve(
  operations: readonly Operation[],
  { fastify: framework, ...options }: ServeOptions,
): Promise<{ app: FastifyInstance; kit: HttpKit }> {
  const app = fastify(framework ?? appOptions({ logLevel: "silent", bodyLimit }));
  const kit = serveApis(app, operations, {
    machineClock: systemClock,
    publicUrl: "http://bank.test",
    mtlsUrl: "https://mtls.bank.test",
    profile: "sandbox",
    signing: {
      currentKey: () => ({ kid: "bank-1", ...createFileSigner(bankKeys().key) }),
      organisationId: "0015800001ALDGATE1",
      trustAnchor: "openbanking.org.uk",
    },
    requestsPerSecond: 0,
    metrics: createMetrics(),
    bodyLimit,
    uploadQuotaBytes: 10_000_000,
    ...options,
  });
  await app.ready();
  return { app, kit };
}
