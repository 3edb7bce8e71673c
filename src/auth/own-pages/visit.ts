import type { LoginMethods } from "#src/auth/login/authentication.ts";
import type { Bank, ListedAccount } from "#src/bank/port.ts";
import type { OwnFrame } from "#src/pages/own-frame.ts";
import type { OwnPagesDeps } from "./deps.ts";

/** The values that a page of a logged-in customer works with. */
export type Visit = {
  customerId: string;
  name: string;
  loginAmr: LoginMethods;
  /** The common parts of every page of this visit. */
  frame: OwnFrame;
  form: URLSearchParams;
  params: { id: string; accountId?: string };
  query: { page?: string; check?: string; state?: string };
};

/** A file that the browser saves. */
export type Download = { name: string; contentType: string; pieces: AsyncIterable<string> };

/** The address of the next page, and the message about what was done, which it shows once. */
export type Next = { goTo: string; message?: string };

/** Where the browser goes after a form, the page to show, or a file; null is 404. */
export type PageAnswer =
  | Next
  | { download: Download }
  | {
      page: string;
      waitUntil?: Temporal.Instant | null;
      /** Whether the browser loads the page again after some seconds. */
      checksItself?: boolean;
    }
  | null;

/** Handles a request of a logged-in customer. Its `deps` are for this visit only. */
export type Handle = (deps: OwnPagesDeps, visit: Visit) => Promise<PageAnswer>;

/** Registers pages and forms for logged-in customers only. */
export type VisitRoutes = {
  /** `isByItself`: the browser reloads the page without the customer, so it is not activity. */
  get(path: string, handle: Handle, given?: { isByItself: boolean }): unknown;
  post(path: string, handle: Handle): unknown;
};

/** Makes the dependencies of one visit, whose bank lists a customer's accounts only once. */
export function depsOfVisit(deps: OwnPagesDeps): OwnPagesDeps {
  const known = new Map<string, { hasFunds: boolean; accounts: Promise<ListedAccount[]> }>();
  // a page that shows balances asks for them first, and its other parts share the list
  const listAccounts: Bank["listAccounts"] = (customerId, wanted) => {
    const hasFunds = wanted?.funds ?? false;
    const found = known.get(customerId);
    if (found && (found.hasFunds || !hasFunds)) return found.accounts;
    const accounts = deps.bank.listAccounts(customerId, wanted);
    known.set(customerId, { hasFunds, accounts });
    return accounts;
  };
  return { ...deps, bank: { ...deps.bank, listAccounts } };
}
