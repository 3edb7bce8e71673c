import { bareRefusal, refusal } from "./api-error.ts";
import type { OperationRequest } from "./operation.ts";

type Headers = OperationRequest["headers"];

const days = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
const months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
const authDate = new RegExp(
  `^(${days}), \\d{2} (${months}) \\d{4} \\d{2}:\\d{2}:\\d{2} (GMT|UTC)$`,
);

/** Throws 406 unless JSON in UTF-8 is acceptable. Source: P-017…P-019, A-011…A-015. */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return;
  if (accept.trim() !== "" && !acceptsJson(accept)) throw bareRefusal(406);
}

const specificity: Record<string, number> = { "*/*": 1, "application/*": 2, "application/json": 3 };

// The most specific range decides, as RFC 9110 section 12.5.1 has it.
function acceptsJson(accept: string): boolean {
  let best = 0;
  let accepted = false;
  for (const range of accept.split(",")) {
    const { essence, parameters } = parseMediaType(range);
    const rank = specificity[essence] ?? 0;
    if (rank === 0 || rank < best || !isUtf8(parameters.get("charset"))) continue;
    const wanted = Number(parameters.get("q") ?? "1") > 0;
    accepted = rank === best ? accepted || wanted : wanted;
    best = rank;
  }
  return accepted;
}

/** Throws 415 unless the body is JSON in UTF-8. Source: P-015…P-017, A-016…A-019. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType === "application/json") return;
  const { essence, parameters } = parseMediaType(contentType ?? "");
  if (essence !== "application/json" || !isUtf8(parameters.get("charset"))) throw bareRefusal(415);
}

/**
 * Throws 400 for a header that is not in the form that the standard gives. A customer's address
 * that is none is no fault: it counts as absent. Source: P-014, A-005…A-010.
 */
export function checkHeaderSyntax(headers: Headers): void {
  const date = headers["x-fapi-auth-date"];
  if (date === undefined || (typeof date === "string" && authDate.test(date))) return;
  const message = "Send the date as in `Sun, 10 Sep 2017 19:43:31 GMT`, or leave the header out.";
  throw refusal("U006", "x-fapi-auth-date", message);
}

function parseMediaType(text: string): { essence: string; parameters: Map<string, string> } {
  const [essence = "", ...rest] = text.split(";");
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const [name = "", value = ""] = parameter.split("=");
    parameters.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1"));
  }
  return { essence: essence.trim().toLowerCase(), parameters };
}

const isUtf8 = (charset: string | undefined): boolean =>
  charset === undefined || charset.toLowerCase() === "utf-8";
