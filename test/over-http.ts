import { guardBank } from "#src/bank/guarded-bank.ts";
import type { Bank } from "#src/bank/port.ts";
import { connectCore } from "#src/connector/http-core.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { sandboxTariff } from "#src/sandbox/bank/tariff.ts";

/** Whether the tests reach the sandbox's own bank over HTTP: a lane of its own. */
export const isOverHttp = process.env.ALDGATE_TEST_BANK === "http";

const callMs = 10_000;
/** Deadlines that a busy machine keeps. */
export const deadlinesMs = {
  identify: callMs,
  read: callMs,
  document: callMs,
  quote: callMs,
  execute: callMs,
  tell: callMs,
};
const silent = { error: () => undefined, warn: () => undefined };

/** Serves a bank on loopback, and returns the bank that calls it there. */
export async function reachOverHttp(own: Bank): Promise<Bank> {
  const app = serveCore({ bank: own, name: "The sandbox bank", tariff: sandboxTariff });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { core, reader } = await connectCore({ url, deadlinesMs, callsAtOnce: 64, sign: null });
  const limits = { deadlinesMs, callsAtOnce: 64, failures: 5, retryMs: 1000 };
  const { bank, close } = guardBank(core, { ...limits, reader, log: silent });
  return {
    ...bank,
    async close() {
      await close(callMs);
      await app.close();
      await own.close?.();
    },
  };
}
