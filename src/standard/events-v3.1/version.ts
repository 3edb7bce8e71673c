import type { ApiVersion } from "#src/standard/api-version.ts";
import { eventNotifications } from "#src/standard/shared/events/event-notifications.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";
import { v3AccessWords, v3Headers } from "#src/standard/shared/v3/v3-rules.ts";

/**
 * Event subscriptions, callback URLs and polling, v3.1. All versions share the bodies in
 * `shared/events/`. Refusals and headers are the same as in the other v3.1 APIs. Source: EV-35;
 * event OpenAPI file, /event-subscriptions.
 */
export const eventsV31: ApiVersion = {
  ...eventNotifications,
  id: "events-v3.1",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1",
  headers: v3Headers,
  errors: v3Errors,
  consents: { words: v3AccessWords, renderReason: null, serves: new Set(["events-v3.1"]) },
};
