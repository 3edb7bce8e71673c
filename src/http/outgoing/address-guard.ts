import { BlockList, isIPv4 } from "node:net";

/**
 * Decides which addresses the bank may connect to, so that a TPP's URL cannot reach the bank's own
 * network.
 */
export type AddressGuard = {
  /** Whether an http URL is allowed if its host is this machine. */
  allowsLoopback: boolean;
  /** Whether the bank may connect to an IP address. */
  allows(address: string): boolean;
};

const blockOf = (...networks: string[]): BlockList => {
  const block = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    block.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
  }
  return block;
};

const loopback = blockOf("127.0.0.0/8", "::1/128");

/**
 * Networks that have no public hosts. Source: RFC 6890 sections 2.2.2 and 2.2.3; IANA
 * special-purpose registries, IPv4, IPv6.
 */
const special = blockOf(
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ...["172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  // 6to4, Teredo and others that lead to IPv4 addresses, benchmarks, documentation
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
);
// other IPv6 addresses are not public: they are, for example, mapped, local or multicast addresses
const global = blockOf("2000::/3");

/** Creates a guard that allows public addresses, `networks` and, if `allowsLoopback`, loopback. */
export function createAddressGuard(allowsLoopback: boolean, networks: BlockList): AddressGuard {
  return {
    allowsLoopback,
    allows(address) {
      const family = isIPv4(address) ? "ipv4" : "ipv6";
      if (networks.check(address, family)) return true;
      if (loopback.check(address, family)) return allowsLoopback;
      return (
        (family === "ipv4" || global.check(address, family)) && !special.check(address, family)
      );
    },
  };
}

/** The names by which programs call their own machine, as a URL has them. */
export const ownNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether the host of a URL names this machine. */
export const isLoopbackHost = ({ hostname }: URL): boolean =>
  hostname === "localhost" || isAddressIn(loopback, addressOf(hostname));

/** The host of a URL without the brackets of an IPv6 address. */
export const addressOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

const isAddressIn = (block: BlockList, address: string): boolean =>
  isIPv4(address) ? block.check(address, "ipv4") : block.check(address, "ipv6");
