/** The values that a page of a logged-in customer works with. */
export type Visit = {
  customerId: string;
  name: string;
  csrf: string;
  form: URLSearchParams;
  params: { id: string; accountId?: string };
  query: { done?: string };
};

/** Where the browser goes after a form, or the page to show; null is 404. */
export type Answer =
  | { goTo: string }
  | { page: string; waitUntil?: Temporal.Instant | null }
  | null;

/** Answers a logged-in customer. */
export type Handle = (visit: Visit) => Promise<Answer>;

/** Registers pages and forms for logged-in customers only. */
export type VisitRoutes = Record<"get" | "post", (path: string, handle: Handle) => unknown>;
