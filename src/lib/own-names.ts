/** The names by which programs call their own machine, as a URL has them. */
export const ownNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
