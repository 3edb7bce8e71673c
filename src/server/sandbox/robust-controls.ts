import type { FastifyInstance } from "fastify";
import { createMessageSigner } from "#src/http/signature/message-signer.ts";
import type { SigningKey } from "#src/http/signature/signer.ts";
import { present } from "#src/lib/assert.ts";
import type { RobustControls } from "#src/sandbox/controls/robust-shapes.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { RunSettings } from "#src/sandbox/robust/misbehaviour.ts";
import { reportOn } from "#src/sandbox/robust/report.ts";
import { Robustness } from "#src/sandbox/robust/robustness.ts";
import { signingOf } from "#src/server/opening/message-signing.ts";
import { openLogReader } from "#src/server/opening/open-request-log.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";

const usual: RunSettings = { lasts: 900, patience: 20, slow: 8, retryAfter: 2 };

/** Makes the controls of what is played on clients. Everything ends when the bank closes. */
export function robustControls(
  parts: Parts & { sandbox: Sandbox; root: FastifyInstance },
): RobustControls {
  const { root: app, clock, config, database, keyRing, machineClock, requestLog, sandbox } = parts;
  const robustness = new Robustness({
    app,
    eventSender: parts.eventSender,
    requestLog,
    now: () => machineClock.now().epochMilliseconds,
    bankTime: () => clock.now().epochMilliseconds,
    signerOf(key) {
      const signing = signingOf(config, keyRing);
      const currentKey = key ? () => key : signing.currentKey;
      return createMessageSigner({ ...signing, currentKey, clock: machineClock });
    },
    newKey: keyMaker(parts),
  });
  app.addHook("onClose", async () => robustness.close());
  const requests = openLogReader(parts);
  const sources = { database, requests, hasLedger: sandbox.core === null };
  return {
    async open(clientId, { names = null, ...settings }) {
      const tpp = await sandbox.directory.loadTpp(clientId);
      if (!tpp) throw new SandboxRefusal(404, "There is no TPP with that client id.");
      const run = robustness.open(clientId, tpp, names, { ...usual, ...settings });
      return reportOn(run, sources);
    },
    async report(clientId) {
      const run = robustness.find(clientId);
      return run && reportOn(run, sources);
    },
    async end(clientId) {
      const run = robustness.find(clientId);
      run?.end(machineClock.now().epochMilliseconds);
      return run && reportOn(run, sources);
    },
    listOpen: () => robustness.listOpen(),
  };
}

/**
 * Makes keys that are published, and with which nothing else is signed. Each replaces the last.
 */
function keyMaker({ keyRing, signing: { generate, store } }: Parts): () => Promise<SigningKey> {
  let former: string | null = null;
  return async () => {
    if (former !== null) await store.withdraw(former);
    const { kid } = await store.add(await present(generate, "a generator of keys")());
    former = kid;
    const signer = present(keyRing.find(kid)?.signer, "the new key");
    return { kid, ...signer };
  };
}
