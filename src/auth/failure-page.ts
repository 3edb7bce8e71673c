import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { interactionHeader } from "#src/http/interaction-id.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";

/**
 * Answers an authorization request whose redirect URI cannot be trusted: a page, or JSON for who
 * asks for it. A sandbox adds what was wrong. Source: security digest 2.5.
 */
export function renderFailure(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  options: { bankName: string; sandbox: boolean },
): void {
  if (ctx.accepts("html", "json") === "json") {
    ctx.type = "application/json";
    ctx.body = JSON.stringify(out);
    return;
  }
  const detail = [out.error, out.error_description].filter(Boolean).join(": ");
  ctx.set({ ...pageHeaders, "referrer-policy": "no-referrer" });
  ctx.body = errorPage({
    bankName: options.bankName,
    title: "We cannot continue",
    message:
      "The request that brought you here is not valid. Nothing was shared and nothing was paid." +
      (options.sandbox ? ` (${detail})` : ""),
    reference: ctx.response.get(interactionHeader) || "none",
  });
}
