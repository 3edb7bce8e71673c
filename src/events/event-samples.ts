import { callbackPath, newestEventVersion, registeredVersion } from "./event-versions.ts";

const Version = registeredVersion(newestEventVersion);
const Url = `https://tpp.example${callbackPath(newestEventVersion)}`;

/** The sample request bodies in the API reference, by operation id. */
export const eventSamples: Readonly<Record<string, object>> = {
  // without a CallbackUrl, the TPP polls for events
  CreateEventSubscriptions: { Data: { Version, EventTypes: ["UK.OBIE.Resource-Update"] } },
  ChangeEventSubscriptionsEventSubscriptionId: {
    Data: { EventSubscriptionId: "", Version },
  },
  CreateCallbackUrls: { Data: { Url, Version } },
  ChangeCallbackUrlsCallbackUrlId: { Data: { CallbackUrlId: "", Url, Version } },
  CreateEvents: { returnImmediately: true },
};
