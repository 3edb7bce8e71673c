const path = "/open-banking/v4.0/event-notifications";
const url = `https://tpp.example${path}`;

/** The bodies that the API reference starts from, by operation id. */
export const eventSamples: Readonly<Record<string, object>> = {
  // without CallbackUrl: events are polled
  CreateEventSubscriptions: { Data: { Version: "4.0", EventTypes: ["UK.OBIE.Resource-Update"] } },
  ChangeEventSubscriptionsEventSubscriptionId: {
    Data: { EventSubscriptionId: "", Version: "4.0" },
  },
  CreateCallbackUrls: { Data: { Url: url, Version: "4.0" } },
  ChangeCallbackUrlsCallbackUrlId: { Data: { CallbackUrlId: "", Url: url, Version: "4.0" } },
  CreateEvents: { returnImmediately: true },
};
