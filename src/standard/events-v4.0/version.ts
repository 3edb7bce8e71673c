import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { v4Consents, v4Signed } from "#src/standard/shared/v4/v4-rules.ts";

const always = [400, 401, 403, 404, 405, 406, 429, 500];

/**
 * Event subscriptions, callback URLs and polling, v4.0. Their paths have no API segment, such as
 * `aisp`, and a token with any API's scope can call them. Source: EV-24, EV-25; event OpenAPI file,
 * /event-subscriptions.
 */
export const eventsV40: ApiVersion = {
  id: "events-v4.0",
  title: "Event Notifications",
  release: "4.0.0",
  basePath: "/api/open-banking/v4.0",
  scopes: ["accounts", "payments", "fundsconfirmations"],
  rateLimitGroup: "events",
  steps: inOrder([
    "interaction-id",
    "token",
    "grant",
    "scope",
    "rate-limit",
    "accept",
    "content-type",
    "auth-date",
    "body",
  ]),
  ...v4Signed,
  // the operations have no consents; `serves` applies to registrations. Source: EV-35
  consents: v4Consents("events-v3.1", "events-v4.0"),
  declaredStatuses({ operationId, method }) {
    const statuses = [...always];
    if (method === "POST" || method === "PUT") statuses.push(415);
    if (method === "POST" && operationId !== "CreateEvents") statuses.push(409);
    return statuses;
  },
};
