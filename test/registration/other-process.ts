import assert from "node:assert/strict";
import { type Config, loadConfig } from "#src/config/config.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import { present } from "#src/lib/assert.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { openRegistration } from "#src/server/opening/open-registration.ts";
import type { OpenRegistration } from "#src/server/opening/registration.ts";
import type { TestBank } from "#test/harness.ts";

/** Opens the registration of another process of a bank. It has no copies of keys yet. */
export const openOtherProcess = (
  bank: TestBank,
  given: {
    config?: Partial<Config>;
    machineClock?: Clock;
    onWarning?(details: object, text: string): void;
    metrics?: Metrics;
    /** The roots that a directory's TLS certificate may chain to, besides the sandbox's. */
    roots?: string;
  } = {},
): OpenRegistration =>
  openRegistration({
    config: {
      ...loadConfig({}),
      PUBLIC_PORT: Number(new URL(bank.publicUrl).port),
      ...given.config,
    },
    database: bank.database,
    clock: systemClock,
    machineClock: given.machineClock ?? systemClock,
    publicUrl: bank.publicUrl,
    mtlsUrl: bank.mtlsUrl,
    clientCa: `${present(bank.sandbox, "the sandbox").directory.caPem}${given.roots ?? ""}`,
    kinds: [],
    ...(given.metrics ? { metrics: given.metrics } : {}),
    log: { warn: given.onWarning ?? ((_details, text) => assert.fail(text)) },
  });
