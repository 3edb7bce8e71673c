// Written by `node scripts/run.mjs client-types` from the bank's OpenAPI document. Do not edit.

/** The bodies of each operation, by its method and path. */
export type Operations = {
  "POST /event-subscriptions": { body: OBEventSubscription1; answer: OBEventSubscriptionResponse1 };
  "GET /event-subscriptions": { answer: OBEventSubscriptionsResponse1 };
  "PUT /event-subscriptions/{EventSubscriptionId}": {
    body: OBEventSubscriptionResponse1;
    answer: OBEventSubscriptionResponse1;
  };
  "DELETE /event-subscriptions/{EventSubscriptionId}": { answer: undefined };
  "POST /callback-urls": { body: OBCallbackUrl1; answer: OBCallbackUrlResponse1 };
  "GET /callback-urls": { answer: OBCallbackUrlsResponse1 };
  "PUT /callback-urls/{CallbackUrlId}": {
    body: OBCallbackUrlResponse1;
    answer: OBCallbackUrlResponse1;
  };
  "DELETE /callback-urls/{CallbackUrlId}": { answer: undefined };
  "POST /events": { body: OBEventPolling1; answer: OBEventPollingResponse1 };
};

export type Links = {
  Self: string;
  First?: string;
  Prev?: string;
  Next?: string;
  Last?: string;
};

export type Meta = {
  TotalPages?: number;
  FirstAvailableDateTime?: string;
  LastAvailableDateTime?: string;
};

export type OBCallbackUrl1 = {
  Data: {
    Url: string;
    Version: string;
  };
};

export type OBCallbackUrlResponse1 = {
  Data: {
    CallbackUrlId: string;
    Url: string;
    Version: string;
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBCallbackUrlsResponse1 = {
  Data: {
    CallbackUrl?: {
      CallbackUrlId: string;
      Url: string;
      Version: string;
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBError1 = {
  ErrorCode: string;
  Message: string;
  Path?: string;
  Url?: string;
};

export type OBErrorResponse1 = {
  Code: string;
  Id?: string;
  Message: string;
  Errors: OBError1[];
};

export type OBEventPolling1 = {
  maxEvents?: number;
  returnImmediately?: boolean;
  ack?: string[];
  setErrs?: Record<string, {
    err: string;
    description: string;
  }>;
};

export type OBEventPollingResponse1 = {
  moreAvailable: boolean;
  sets: Record<string, string>;
};

export type OBEventSubscription1 = {
  Data: {
    CallbackUrl?: string;
    Version: string;
    EventTypes?: string[];
  };
};

export type OBEventSubscriptionResponse1 = {
  Data: {
    EventSubscriptionId: string;
    CallbackUrl?: string;
    Version: string;
    EventTypes?: string[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBEventSubscriptionsResponse1 = {
  Data: {
    EventSubscription?: {
      EventSubscriptionId: string;
      CallbackUrl?: string;
      Version: string;
      EventTypes?: string[];
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};
