import type { GuardedBank } from "#src/bank/guarded-bank.ts";
import { createReadiness, type Readiness } from "#src/http/connection/observe.ts";
import type { Engine } from "#src/payments/execution/engine.ts";
import type { Parts } from "#src/server/parts.ts";
import { observeCore, observeEngine } from "./observe-orders.ts";
import { listIdleStandbys, logStandbys, observeStandbys } from "./observe-standbys.ts";
import type { SchemaWatch } from "./watch-schema.ts";

const maximumLagSeconds = 60;

/** Opens what shows operators the state of the bank, its schema, engine, core and standbys. */
export function openReadiness(
  {
    app,
    database,
    clock,
    metrics,
    pace,
  }: Pick<Parts, "app" | "database" | "clock" | "metrics" | "pace">,
  {
    engine,
    core,
    schema,
  }: {
    engine: Engine;
    core: Pick<GuardedBank, "listFailing" | "failuresInRow"> | null;
    schema: SchemaWatch;
  },
): () => Promise<Readiness> {
  const readiness = createReadiness({
    database,
    refuseSchema: () => schema.look(),
    engineLagSeconds: () => engine.lagSeconds(),
    maximumLagSeconds,
    listDegraded: () => [...(core?.listFailing() ?? []), ...listIdleStandbys(database)],
    onFailure: (error) => app.log.error({ err: error }, "not ready"),
  });
  observeEngine(metrics, readiness, { database, clock });
  observeStandbys(metrics, database);
  const end = logStandbys(database, pace, app.log);
  app.addHook("onClose", end);
  if (core) observeCore(metrics, core, database, clock);
  return readiness;
}
