import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { eventsV40 } from "#src/standard/events-v4.0/version.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";

/**
 * Event subscriptions, callback URLs and polling, v3.1. All versions share the bodies in
 * `shared/events/`. Refusals and headers are the same as in the other v3.1 APIs. Source: EV-35;
 * event OpenAPI file, /event-subscriptions.
 */
export const eventsV31: ApiVersion = {
  ...eventsV40,
  id: "events-v3.1",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1",
  headers: aispV31.headers,
  errors: v3Errors,
  consents: { ...aispV31.consents, serves: new Set(["events-v3.1"]) },
};
