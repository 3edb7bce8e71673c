import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import type { Aldgate } from "#src/server/open-server.ts";
import type { ReadyTpp } from "#src/server/parts.ts";

/** Describes what a test needs of an open world: its time, keys, TPPs and customers. */
export async function describeWorld(
  bank: Aldgate,
  folder: string,
): Promise<Omit<ShownWorld, keyof WorldSummary>> {
  const { readyTpps, directory } = present(bank.sandbox, "the sandbox");
  const { listCustomers } = present(bank.controls, "the controls");
  return {
    now: bank.clock.now().toString(),
    caPem: directory.caPem,
    caFile: join(folder, "keys", "ca.pem"),
    tpps: readyTpps.map(describeTpp),
    customers: await listCustomers(),
  };
}

function describeTpp({ tpp, folder }: ReadyTpp): ShownWorld["tpps"][number] {
  const { caPem: _shared, signing, transport, ...facts } = tpp;
  const files = (use: "signing" | "transport") => ({
    privateKeyFile: join(folder, `${use}.key.pem`),
    certificateFile: join(folder, `${use}.pem`),
  });
  return {
    ...facts,
    signing: { ...signing, ...files("signing") },
    transport: { ...transport, ...files("transport") },
  };
}
