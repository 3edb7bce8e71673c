import type { AccountFeed } from "#src/account-store/account-feed.ts";
import type { AnswerReader } from "#src/bank/checked-answer.ts";
import type { GuardOptions } from "#src/bank/guarded-bank.ts";
import type { OwnCore } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { twoCores } from "#src/config/own-core.ts";
import { connectCore, type HttpCore } from "#src/connector/http-core.ts";
import { type PullLog, pullChanges } from "#src/connector/pull-changes.ts";
import { openRequestSigner } from "#src/connector/sign-request.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { serviceUrlMistake } from "#src/signing/remote-connection.ts";

/** The log of a core and of its feed. */
export type CoreLog = GuardOptions["log"] & PullLog;

/** The longest that a call of each group may take. */
export const deadlinesOf = (config: Config): GuardOptions["deadlinesMs"] => ({
  identify: config.BANK_IDENTIFY_DEADLINE_MS,
  read: config.BANK_READ_DEADLINE_MS,
  document: config.BANK_READ_DEADLINE_MS,
  quote: config.BANK_QUOTE_DEADLINE_MS,
  execute: config.BANK_EXECUTE_DEADLINE_MS,
  tell: config.BANK_READ_DEADLINE_MS,
});

type OpenedUrl = {
  core: OwnCore;
  reader: AnswerReader;
  testCustomers: unknown;
  testCode: HttpCore["readTestCode"];
  /** Starts the work that stores the core's changes; null if it sends none by `readChanges`. */
  startFeed: ((feed: AccountFeed) => ReturnType<typeof pullChanges>) | null;
  where: string;
};

/** Connects the core at BANK_URL. Throws ConfigError. */
export async function openCoreAt(
  config: Config,
  { clock, log }: { clock: Clock; log: CoreLog },
): Promise<OpenedUrl> {
  const url = present(config.BANK_URL, "BANK_URL");
  const refuse = (setting: string, why: unknown): never => {
    throw new ConfigError([`${setting}: ${textOf(why)}`]);
  };
  const mistake = serviceUrlMistake(url);
  if (mistake !== null) return refuse("BANK_URL", mistake);
  if (config.BANK_MODULE !== undefined) {
    return refuse("BANK_URL", twoCores);
  }
  const refuseCore = (error: unknown): never =>
    refuse("BANK_URL", `the core at ${url} cannot be used: ${textOf(error)}`);
  const { BANK_SIGNING_KEY: keyPath } = config;
  const sign =
    keyPath === undefined
      ? null
      : await openRequestSigner(keyPath, clock.now).catch((error) =>
          refuse("BANK_SIGNING_KEY", error),
        );
  const service = await connectCore({
    url,
    rootsFile: config.BANK_CA,
    certificateFile: config.BANK_CERTIFICATE,
    keyFile: config.BANK_CERTIFICATE_KEY,
    deadlinesMs: deadlinesOf(config),
    callsAtOnce: config.BANK_CALLS_AT_ONCE,
    sign,
  }).catch(refuseCore);
  const { core, reader, readChanges, readTestCode } = service;
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  const testCustomers = isSandbox ? await service.listTestCustomers().catch(refuseCore) : [];
  const retryMs = config.BANK_BREAKER_RETRY_MS;
  return {
    core,
    reader,
    testCustomers,
    testCode: readTestCode,
    startFeed: readChanges && ((feed) => pullChanges({ feed, readChanges, retryMs, log })),
    where: `BANK_URL: the core ${JSON.stringify(service.name)} at ${url}`,
  };
}
