import Type, { type Static } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, open, text } from "#src/standard/shared/schema.ts";

const uri = Type.String({ format: "uri" });
const id = text(40);
const version = text(10);

const chosen = {
  CallbackUrl: Type.Optional(uri),
  Version: version,
  EventTypes: Type.Optional(Type.Array(Type.String())),
};
const subscription = open({ EventSubscriptionId: id, ...chosen });

/** Body of `POST /event-subscriptions`. */
export const eventSubscriptionRequest = closed(
  { Data: open(chosen) },
  { title: "OBEventSubscription1" },
);

/** Body of `PUT /event-subscriptions/{id}` and of the responses that show one subscription. */
export const eventSubscriptionResponse = closed(
  { Data: subscription, ...envelope },
  { title: "OBEventSubscriptionResponse1" },
);

/** Response of `GET /event-subscriptions`. */
export const eventSubscriptionsResponse = closed(
  {
    Data: open({ EventSubscription: Type.Optional(Type.Array(subscription)) }),
    ...envelope,
  },
  { title: "OBEventSubscriptionsResponse1" },
);

/** The TPP's choices in an event subscription. */
export type ChosenSubscription = Static<typeof eventSubscriptionRequest>["Data"];

const callback = { Url: uri, Version: version };
const callbackUrl = open({ CallbackUrlId: id, ...callback });

/** Body of `POST /callback-urls`. Source: event resource pages, Callback URL. */
export const callbackUrlRequest = closed({ Data: open(callback) }, { title: "OBCallbackUrl1" });

/** Body of `PUT /callback-urls/{id}` and of the responses that show one callback URL. */
export const callbackUrlResponse = closed(
  { Data: callbackUrl, ...envelope },
  { title: "OBCallbackUrlResponse1" },
);

/** Response of `GET /callback-urls`. */
export const callbackUrlsResponse = closed(
  { Data: open({ CallbackUrl: Type.Optional(Type.Array(callbackUrl)) }), ...envelope },
  { title: "OBCallbackUrlsResponse1" },
);
