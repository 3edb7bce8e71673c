import { signatureCodes } from "#src/http/signature/jws.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import type { LogEntry } from "./entry.ts";

/**
 * The checks that have no step of their own, by the codes with which they refuse. The judge and
 * the steps of orders have the same names.
 */
const checks: readonly (readonly [name: string, codes: readonly FaultCode[]])[] = [
  ["signature", [...signatureCodes]],
  ["schema", ["U001", "U002", "U004", "U005", "U010"]],
  ["dates", ["U003", "CH03", "CH04", "DT01"]],
  ["offer", ["U021", "U022", "U023", "U024", "U025", "U026", "U027", "BE19", "AM03"]],
  ["replay", ["U006", "U007", "U029"]],
  ["resource", ["U011"]],
  ["status", ["U009"]],
  ["match", ["U008"]],
  ["cut-off", ["U012"]],
  ["limits", ["U014", "AM02", "AM13", "AM14"]],
  ["permission", ["PermissionMissing", "AG08"]],
  ["account", ["AccountNotAccessible"]],
  ["authentication", ["U028"]],
  ["reference", ["U013"]],
  ["file", ["FF01", "AM10", "AM18"]],
];

const byCode = new Map<string, string>(
  checks.flatMap(([name, codes]) => codes.map((code) => [code, name] as const)),
);

/** The check that refused a request after its steps, or within one, by its first code. */
export function ownCheckOf({ status, codes }: Pick<LogEntry, "status" | "codes">): string {
  const [code] = codes;
  if (code === undefined) return status === 429 ? "rate-limit" : "other";
  return byCode.get(code) ?? "bank";
}

/** Whether the step `body` has refused the signature: the judge has this check for itself. */
export const isOfSignature = ({ codes }: Pick<LogEntry, "codes">): boolean =>
  codes.some((code) => signatureCodes.has(code as FaultCode));
