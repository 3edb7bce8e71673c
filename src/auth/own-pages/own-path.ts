const overview = "/bank";

// neither the login itself, nor a file, nor a part of dots
const pathPattern = /^(?!.*\.csv)\/bank\/(?!log|\.)[\w.-]+(\/(?!\.)[\w.-]+)*(\?page=\d{1,4})?$/;

/**
 * A path of the bank's own pages, as a link or after the login may lead there: without other parts
 * of an address than the number of a page. Anything else becomes the first page.
 */
export const ownPath = (given: string | undefined): string =>
  given !== undefined && pathPattern.test(given) ? given : overview;

/** The address of the login that leads to a page. */
export function loginFor(url: string): string {
  const path = ownPath(url);
  return path === overview ? "/bank/login" : `/bank/login?to=${encodeURIComponent(path)}`;
}
