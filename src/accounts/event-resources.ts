import { consentResource, type EventResource } from "#src/events/event-resource.ts";
import { accountAccessKind } from "./account-access-kind.ts";
import { accountVersions } from "./account-versions.ts";

/** How events name account access consents. Source: E-005, E-007, EV-29. */
export const accountEventResources: readonly EventResource[] = [
  consentResource(
    { kind: accountAccessKind.id, type: "account-access-consents" },
    accountVersions.map(({ api }) => api),
  ),
];
