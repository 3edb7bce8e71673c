import type { ApiVersion } from "#src/standard/api-version.ts";
import { eventNotifications } from "#src/standard/shared/events/event-notifications.ts";
import { v4Consents, v4Signed } from "#src/standard/shared/v4/v4-rules.ts";

/** Event subscriptions, callback URLs and polling, v4.0. */
export const eventsV40: ApiVersion = {
  ...eventNotifications,
  id: "events-v4.0",
  release: "4.0.0",
  basePath: "/api/open-banking/v4.0",
  ...v4Signed,
  // the operations have no consents; `serves` applies to registrations. Source: EV-35
  consents: v4Consents("events-v3.1", "events-v4.0"),
};
