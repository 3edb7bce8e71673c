import type { TSchema } from "typebox";
import {
  type ChosenSubscription,
  callbackUrlRequest,
  callbackUrlResponse,
  callbackUrlsResponse,
  eventSubscriptionRequest,
  eventSubscriptionResponse,
  eventSubscriptionsResponse,
} from "#src/standard/shared/events/subscriptions.ts";
import type { EventRegistration, RegistrationForm } from "./registration.ts";

/** A kind of resource with which TPPs register for events. */
export type FormRow = {
  form: RegistrationForm;
  tag: string;
  /** The name in the standard's operation ids: `EventSubscriptions`. */
  name: string;
  path: string;
  idField: string;
  idPrefix: string;
  /** The member of Data that has the list. */
  listField: string;
  /** The path of the member with the URL. */
  urlPath: string;
  create: TSchema;
  /** The body of a change, and of a response with one registration. */
  one: TSchema;
  list: TSchema;
  /** Reads the TPP's choices from the Data of a body that fits the schema `create` or `one`. */
  read(data: unknown): {
    url: string | undefined;
    version: string;
    types: readonly string[] | undefined;
  };
  /** Returns the members of Data, except the id. */
  show(registration: EventRegistration): object;
};

/**
 * Event subscriptions and callback URLs. Source: EV-02; event resource pages, Event Subscription,
 * Callback URL.
 */
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
      // a callback URL receives only resource updates. Source: EV-05
      return { url, version, types: ["UK.OBIE.Resource-Update"] };
    },
    show: ({ callbackUrl, version }) => ({ Url: callbackUrl, Version: version }),
  },
];
