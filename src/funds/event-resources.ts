import { consentResource, type EventResource } from "#src/events/event-resource.ts";
import { fundsConfirmationKind } from "./funds-confirmation-kind.ts";
import { fundsVersions } from "./funds-versions.ts";

/** How events name funds confirmation consents. Source: C-100, C-102, C-110. */
export const fundsEventResources: readonly EventResource[] = [
  consentResource(
    { kind: fundsConfirmationKind.id, type: "funds-confirmation-consents" },
    fundsVersions.map(({ api }) => api),
  ),
];
