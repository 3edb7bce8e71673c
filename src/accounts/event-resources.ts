import { coveredAccountSubjects } from "#src/consents/consent-facts.ts";
import {
  consentResource,
  type EventResource,
  type EventSubjects,
} from "#src/events/event-resource.ts";
import { accountReasons } from "#src/standard/shared/events/event-types.ts";
import { accountVersions } from "./account-versions.ts";
import { accountAccessKind } from "./consent/account-access-kind.ts";

/** How events name account access consents. Source: E-005, E-007, EV-29. */
export const accountEventResources: readonly EventResource[] = [
  {
    ...consentResource(
      { kind: accountAccessKind.id, type: "account-access-consents" },
      accountVersions.map(({ api }) => api),
    ),
    account: { word: "account-access-consent", reasons: accountReasons },
  },
];

/** The access consents that cover each account, and their TPPs. Source: EV-07. */
export const accountSubjects: EventSubjects = {
  objectKind: "account",
  rows: coveredAccountSubjects(accountAccessKind.id),
  ownEvents: { [accountAccessKind.id]: "account-access-consent-linked-account-update" },
};
