/** Where a TPP gets an id from. */
export const returnedBy = (name: string, path: string): string =>
  `the ${name} that POST ${path} returned`;

/** What a request must name if its access token belongs to a consent. */
export const consentOfToken = (path: string): string =>
  `${returnedBy("ConsentId", path)}, of the consent to which the access token belongs`;
