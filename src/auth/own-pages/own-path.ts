const overview = "/bank";
const pathPattern = /^\/bank(\/[\w-][\w.-]*)+(\?page=\d{1,4})?$/;

/**
 * A path of the bank's own pages, to which a link or the login may lead: not the login itself, not
 * a file, and without other parts of an address than the number of a page. Anything else becomes
 * the first page.
 */
export const ownPath = (given: string | undefined): string =>
  given !== undefined &&
  pathPattern.test(given) &&
  !given.startsWith("/bank/log") &&
  !given.endsWith(".csv")
    ? given
    : overview;

/** The address of the login that leads to a page. */
export function loginFor(url: string): string {
  const path = ownPath(url);
  return path === overview ? "/bank/login" : `/bank/login?to=${encodeURIComponent(path)}`;
}
