import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";

type Settings = Pick<
  Config,
  "ALDGATE_PROFILE" | "BACKCHANNEL_AUTHENTICATION" | "BANK_LOGIN_ISSUER"
>;

/**
 * Whether TPPs can begin a journey without a browser. The customer must then be able to approve in
 * the bank's app, so the core needs `challengeResult`. Throws ConfigError if the setting asks for
 * what the bank cannot do.
 */
export function offersBackchannel(config: Settings, bank: Pick<Bank, "challengeResult">): boolean {
  const { BACKCHANNEL_AUTHENTICATION: wanted, BANK_LOGIN_ISSUER: issuer } = config;
  if (wanted === false) return false;
  const fault =
    issuer === undefined
      ? bank.challengeResult
        ? null
        : "the core must have `challengeResult`, because customers approve in the bank's app"
      : "leave this setting out, because customers approve at BANK_LOGIN_ISSUER, in a browser";
  if (wanted && fault !== null) throw new ConfigError([`BACKCHANNEL_AUTHENTICATION: ${fault}`]);
  return fault === null && (wanted ?? config.ALDGATE_PROFILE === "sandbox");
}
