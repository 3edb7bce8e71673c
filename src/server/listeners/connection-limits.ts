import { readFileSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import type { ConnectionLimits } from "#src/http/connection/connections.ts";

// The rest is for the database, files, and what the bank itself calls.
const shareOfDescriptors = 0.75;

/**
 * Returns how many connections the listeners may keep open: what is configured, or three quarters
 * of the descriptors that the process may have if that is less.
 */
export function connectionLimits(
  config: Config,
  descriptors = maximumDescriptors(),
): ConnectionLimits {
  const most = descriptors === null ? Infinity : Math.floor(descriptors * shareOfDescriptors);
  const total = Math.min(config.CONNECTIONS_LIMIT, most);
  return { total, perAddress: Math.min(config.CONNECTIONS_PER_ADDRESS, total) };
}

/** The process's limit of open files; null if the system does not report it. */
function maximumDescriptors(): number | null {
  try {
    const text = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files +(\d+)/m.exec(text)?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null; // not Linux
  }
}
