import { readdirSync, readFileSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import type { ConnectionLimits } from "#src/http/connection/connections.ts";

// The rest is for more files of the database, and for what the bank itself calls.
const shareOfDescriptors = 0.75;
// as CONNECTIONS_LIMIT
const fewest = 10;

/**
 * Returns how many connections the listeners may keep open: what is configured, or three quarters
 * of the free descriptors if that is less. The embedded database holds some 200 at the start.
 */
export function connectionLimits(
  config: Config,
  descriptors = freeDescriptors(),
): ConnectionLimits {
  const most = descriptors === null ? Infinity : Math.floor(descriptors * shareOfDescriptors);
  const total = Math.min(config.CONNECTIONS_LIMIT, Math.max(most, fewest));
  return { total, perAddress: Math.min(config.CONNECTIONS_PER_ADDRESS, total) };
}

/** How many more files the process may open; null if the system does not report it. */
function freeDescriptors(): number | null {
  try {
    const text = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files +(\d+)/m.exec(text)?.[1];
    return soft === undefined ? null : Number(soft) - readdirSync("/proc/self/fd").length;
  } catch {
    return null; // not Linux
  }
}
