const path = "/open-banking/v4.0/event-notifications";
const url = `https://tpp.example${path}`;

/** The sample request bodies in the API reference, by operation id. */
export const eventSamples: Readonly<Record<string, object>> = {
  // without a CallbackUrl, the TPP polls for events
  CreateEventSubscriptions: { Data: { Version: "4.0", EventTypes: ["UK.OBIE.Resource-Update"] } },
  ChangeEventSubscriptionsEventSubscriptionId: {
    Data: { EventSubscriptionId: "", Version: "4.0" },
  },
  CreateCallbackUrls: { Data: { Url: url, Version: "4.0" } },
  ChangeCallbackUrlsCallbackUrlId: { Data: { CallbackUrlId: "", Url: url, Version: "4.0" } },
  CreateEvents: { returnImmediately: true },
};
