import { countOf } from "#src/lib/plain-text.ts";
import type { ShownKey } from "./key-store.ts";

const dayMs = 86_400_000;
// the warnings of a certificate begin so long before it expires
const warningDays = 30;

/** Lists what an operator should do about the keys soon; empty if there is nothing. */
export function keyWarnings(keys: readonly ShownKey[], now: number): string[] {
  const warnings: string[] = [];
  const current = keys.find(({ state }) => state === "current");
  const hasNext = keys.some(({ state }) => state === "next" || state === "standby");
  for (const { kid, state, certificateUntil, isUsable } of keys) {
    if (state === "ended" || state === "withdrawn") continue;
    if (!isUsable && state !== "retired") {
      warnings.push(`this process cannot sign with the key ${kid} (${state})`);
    }
    if (certificateUntil === null || state === "retired") continue;
    const days = Math.floor((Date.parse(certificateUntil) - now) / dayMs);
    if (days >= warningDays) continue;
    const when = days < 0 ? "has expired" : `expires in ${countOf(days, "day", "days")}`;
    const cure = "write a renewed certificate to its file, or replace the key with keys rotate";
    warnings.push(`the certificate of the key ${kid} (${state}) ${when}: ${cure}`);
  }
  if (!current) warnings.push("no key can sign: ./aldgate keys add LOCATION");
  if (!hasNext) {
    warnings.push(
      "there is no next key: if the current one leaks, TPPs do not know the key that replaces it",
    );
  }
  return warnings;
}
