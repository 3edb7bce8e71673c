import { isIP } from "node:net";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

// the longest IPv6 address as text: a zone, which may be of any length, says nothing to the bank
const longestAddress = 45;
const longestAgent = 512;

/**
 * Returns the address of the customer from whom a TPP's request comes; null if there is none. An
 * invalid address counts as none. Source.
 */
export function customerAddress(headers: Headers): string | null {
  const address = headers["x-fapi-customer-ip-address"];
  const text = typeof address === "string" ? address.trim() : "";
  return text.length <= longestAddress && isIP(text) !== 0 ? text : null;
}

/**
 * Returns the customer's address and browser or app as a TPP's request names them; null if it names
 * neither. The name of the browser is cut, because a TPP may send any text. Source: A-007…A-009.
 */
export function customerDevice(headers: Headers) {
  const ipAddress = customerAddress(headers);
  const agent = headers["x-customer-user-agent"];
  const text = typeof agent === "string" ? agent.trim().slice(0, longestAgent) : "";
  const userAgent = text === "" ? null : text;
  return ipAddress === null && userAgent === null ? null : { ipAddress, userAgent };
}
