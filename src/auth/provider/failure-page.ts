import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import { lostJourneyNote, type MovedClock } from "./clock-note.ts";

type Texts = { title: string; message: string; advice: string };

const goBack = "Go back to the app or website you came from";

const outages: Record<string, Texts> = {
  temporarily_unavailable: {
    title: "We cannot do this at the moment",
    message: "One of our systems is not responding.",
    advice: `Please wait a minute. ${goBack}, and check what has been done before you try again.`,
  },
  server_error: {
    title: "Something went wrong",
    message: "We could not handle the request.",
    advice: `${goBack}, and check what has been done before you try again.`,
  },
};

// The endpoints that browsers use, each with its texts for an invalid request. TPPs call the other
// endpoints. At the first endpoint, no customer has approved the request yet.
const pages: Record<string, Texts> = {
  authorization: {
    title: "We cannot continue",
    message:
      "The app or website that sent you here has sent us a request that we cannot accept. We have " +
      "stopped the request, so it has shared nothing and paid nothing.",
    advice: `${goBack} and start again. If this page comes back, give them the reference.`,
  },
  resume: {
    title: "This request has ended",
    message: "It has been answered already, or it began in another browser.",
    advice: `${goBack}, and check what has been done before you start again.`,
  },
};

// Between the journey's last page and the way back, the client was stopped or removed.
const stopped: Texts = {
  title: "We cannot take you back",
  message:
    "We do not accept requests from the app or website that sent you here now, so it cannot use " +
    "what you have answered.",
  advice: `${goBack}, and check what has been done before you start again. You can also ask us.`,
};

/**
 * Responds to an authorization request whose redirect URI cannot be trusted, with a page, or with
 * JSON if the caller asks for it. Errors of the endpoints that TPPs call are always JSON. The JSON
 * contains the error and its description. The page is for a customer, so it has plain words and a
 * reference; a sandbox's page has the error too, folded. Source: RFC 6749 sections 4.1.2.1 and 5.2.
 */
export function renderFailure(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  deps: { bankName: string; sandbox: boolean } & MovedClock,
): void {
  const invalid = pages[ctx.oidc.route];
  if (invalid === undefined || ctx.accepts("html", "json") === "json") {
    ctx.type = "application/json";
    ctx.body = JSON.stringify(out);
    return;
  }
  ctx.set({ ...pageHeaders, "referrer-policy": "no-referrer" });
  // only a browser that holds the cookie of a journey has begun one
  const isStopped = ctx.oidc.route === "resume" && out.error === "invalid_client";
  const isResuming =
    !isStopped && ctx.oidc.route === "resume" && /_interaction_resume=/.test(ctx.get("cookie"));
  ctx.body = errorPage({
    bankName: deps.bankName,
    ...(isStopped ? stopped : (outages[out.error] ?? invalid)),
    reference: ctx.response.get(interactionHeader) || "none",
    sandboxNote: isResuming ? lostJourneyNote(deps) : null,
    forDevelopers: deps.sandbox
      ? { error: out.error, description: out.error_description ?? "" }
      : null,
  });
}
