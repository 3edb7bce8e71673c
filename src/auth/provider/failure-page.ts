import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { interactionHeader } from "#src/http/headers/interaction-id.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";

const texts: Record<string, { title: string; message: string }> = {
  temporarily_unavailable: {
    title: "We cannot do this at the moment",
    message: "One of our systems is not responding.",
  },
  server_error: { title: "Something went wrong", message: "We could not handle the request." },
};
const invalid = {
  title: "We cannot continue",
  message: "The request that brought you here is not valid.",
};

// the endpoints that browsers use; TPPs call the others
const browserRoutes = new Set(["authorization", "resume"]);

/**
 * Responds to an authorization request whose redirect URI cannot be trusted, with a page, or with
 * JSON if the caller asks for it. Errors of the endpoints that TPPs call are always JSON. Page and
 * JSON contain the error and its description. Source: RFC 6749 sections 4.1.2.1 and 5.2.
 */
export function renderFailure(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  options: { bankName: string },
): void {
  if (!browserRoutes.has(ctx.oidc.route) || ctx.accepts("html", "json") === "json") {
    ctx.type = "application/json";
    ctx.body = JSON.stringify(out);
    return;
  }
  const detail = [out.error, out.error_description].filter(Boolean).join(": ");
  const { title, message } = texts[out.error] ?? invalid;
  ctx.set({ ...pageHeaders, "referrer-policy": "no-referrer" });
  ctx.body = errorPage({
    bankName: options.bankName,
    title,
    message: `${message} Nothing was shared and nothing was paid. (${detail})`,
    reference: ctx.response.get(interactionHeader) || "none",
  });
}
