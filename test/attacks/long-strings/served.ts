/** The routes of the bank under attack, and where its management listener is. */
export type Served = {
  /** The routes of both listeners for TPPs and customers, such as `GET /bank/payees/:id`. */
  bank: readonly string[];
  management: readonly string[];
  managementUrl: string;
  /** What the bank's own channels and its core send as their token. */
  token: string;
};
