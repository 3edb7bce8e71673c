import type { Config } from "./config.ts";

/** Whether the bank has a core of its own, a module or a service. */
export const hasOwnCore = ({
  BANK_MODULE: module,
  BANK_URL: url,
}: Pick<Config, "BANK_MODULE" | "BANK_URL">): boolean => module !== undefined || url !== undefined;

/** Why a bank with both does not start. */
export const twoCores = "the core is either a module (BANK_MODULE) or a service, not both";
