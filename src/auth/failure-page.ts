import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { interactionHeader } from "#src/http/interaction-id.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";

const invalidText = "The request that brought you here is not valid.";
const outageText = "Part of our systems is not answering.";

/**
 * Answers an authorization request whose redirect URI cannot be trusted, with a page, or with JSON
 * if the caller asks for it. Both name the error and its description. Source: security digest 2.5.
 */
export function renderFailure(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  options: { bankName: string },
): void {
  if (ctx.accepts("html", "json") === "json") {
    ctx.type = "application/json";
    ctx.body = JSON.stringify(out);
    return;
  }
  const outage = out.error === "temporarily_unavailable";
  const detail = [out.error, out.error_description].filter(Boolean).join(": ");
  ctx.set({ ...pageHeaders, "referrer-policy": "no-referrer" });
  ctx.body = errorPage({
    bankName: options.bankName,
    title: outage ? "We cannot do this at the moment" : "We cannot continue",
    message:
      `${outage ? outageText : invalidText} Nothing was shared and nothing was paid. ` +
      `(${detail})`,
    reference: ctx.response.get(interactionHeader) || "none",
  });
}
