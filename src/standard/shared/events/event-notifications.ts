import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";

const always = [400, 401, 403, 404, 405, 406, 429, 500];

/**
 * The rules that every version of event subscriptions, callback URLs and polling has. Their paths
 * have no API segment, such as `aisp`, and a token with any API's scope can call them. Source:
 * EV-24, EV-25; event OpenAPI file, /event-subscriptions.
 */
export const eventNotifications = {
  title: "Event Notifications",
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
  wrongGrant: 403,
  declaredStatuses({ operationId, method }: { operationId: string; method: string }) {
    const statuses = [...always];
    if (method === "POST" || method === "PUT") statuses.push(415);
    if (method === "POST" && operationId !== "CreateEvents") statuses.push(409);
    return statuses;
  },
} as const satisfies Partial<ApiVersion>;
