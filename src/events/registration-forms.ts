import type { TSchema } from "typebox";
import {
  type ChosenSubscription,
  callbackUrlRequest,
  callbackUrlResponse,
  callbackUrlsResponse,
  eventSubscriptionRequest,
  eventSubscriptionResponse,
  eventSubscriptionsResponse,
} from "#src/standard/events-v4.0/subscriptions.ts";
import type { Registration, RegistrationForm } from "./registration.ts";

/** A resource by which TPPs register. */
export type FormRow = {
  form: RegistrationForm;
  tag: string;
  /** As the standard's operations name it: `EventSubscriptions`. */
  name: string;
  path: string;
  idField: string;
  idPrefix: string;
  /** The member of a list's Data. */
  listField: string;
  /** The path of the member with the URL. */
  urlPath: string;
  create: TSchema;
  /** The body of a change, and of a response with one registration. */
  one: TSchema;
  list: TSchema;
  /** The choices of a body that has the schema `create` or `one`. */
  read(data: unknown): {
    url: string | undefined;
    version: string;
    types: readonly string[] | undefined;
  };
  /** The members of Data without the id. */
  show(registration: Registration): object;
};

/** Both resources. Source: EV-02; event notification profile, Event Subscription, Callback URL. */
export const registrationForms: readonly FormRow[] = [
  {
    form: "subscription",
    tag: "Event Subscriptions",
    name: "EventSubscriptions",
    path: "/event-subscriptions",
    idField: "EventSubscriptionId",
    idPrefix: "evs",
    listField: "EventSubscription",
    urlPath: "Data.CallbackUrl",
    create: eventSubscriptionRequest,
    one: eventSubscriptionResponse,
    list: eventSubscriptionsResponse,
    read(data) {
      const { CallbackUrl: url, Version: version, EventTypes: types } = data as ChosenSubscription;
      return { url, version, types };
    },
    show: ({ callbackUrl, version, namedTypes }) => ({
      ...(callbackUrl === null ? {} : { CallbackUrl: callbackUrl }),
      Version: version,
      ...(namedTypes === null ? {} : { EventTypes: namedTypes }),
    }),
  },
  {
    form: "callback",
    tag: "Callback URLs",
    name: "CallbackUrls",
    path: "/callback-urls",
    idField: "CallbackUrlId",
    idPrefix: "cbu",
    listField: "CallbackUrl",
    urlPath: "Data.Url",
    create: callbackUrlRequest,
    one: callbackUrlResponse,
    list: callbackUrlsResponse,
    read(data) {
      const { Url: url, Version: version } = data as { Url: string; Version: string };
      // a callback URL is told of resource updates and of nothing else. Source: EV-05
      return { url, version, types: ["UK.OBIE.Resource-Update"] };
    },
    show: ({ callbackUrl, version }) => ({ Url: callbackUrl, Version: version }),
  },
];
