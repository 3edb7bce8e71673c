import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";

type Settings = Parameters<typeof hasOwnCore>[0] &
  Pick<
    Config,
    | "ALDGATE_PROFILE"
    | "BACKCHANNEL_AUTHENTICATION"
    | "BANK_LOGIN_ISSUER"
    | "BANK_LOGIN_CONFIRMS"
    | "APP_TOKEN"
  >;

/**
 * Whether TPPs can begin a journey without a browser. The customer must then be able to approve in
 * the bank's app, so the core needs `challengeResult`, and the app needs its token.
 * The sandbox plays the app of its own bank. Throws ConfigError if the setting asks for what the
 * bank cannot do.
 */
export function offersBackchannel(config: Settings, bank: Pick<Bank, "challengeResult">): boolean {
  const { BACKCHANNEL_AUTHENTICATION: wanted } = config;
  if (wanted === false) return false;
  const fault = whyNot(config, bank);
  if (wanted && fault !== null) throw new ConfigError([`BACKCHANNEL_AUTHENTICATION: ${fault}`]);
  return fault === null && (wanted ?? config.ALDGATE_PROFILE === "sandbox");
}

function whyNot(config: Settings, bank: Pick<Bank, "challengeResult">): string | null {
  if (config.BANK_LOGIN_ISSUER !== undefined && config.BANK_LOGIN_CONFIRMS === "approval") {
    return "leave this setting out, because customers approve at BANK_LOGIN_ISSUER, in a browser";
  }
  if (!bank.challengeResult) {
    return "the core must have `challengeResult`, because customers approve in the bank's app";
  }
  const isPlayed = config.ALDGATE_PROFILE === "sandbox" && !hasOwnCore(config);
  if (isPlayed || config.APP_TOKEN !== undefined) return null;
  return "set APP_TOKEN too, because the bank's app needs it to take customers through";
}
