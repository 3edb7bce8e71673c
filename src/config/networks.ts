import { BlockList, isIP } from "node:net";
import { ConfigError } from "./config.ts";

/** The entries of a setting that lists texts with commas. */
export const listOf = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split(",").map((one) => one.trim());

/** Reads a setting that lists networks, such as `172.16.0.0/12,fd00::/8`. Throws ConfigError. */
export function readNetworks(setting: string, text: string | undefined): BlockList {
  const networks = new BlockList();
  for (const network of listOf(text)) {
    const [address = "", bits = ""] = network.split("/");
    const version = isIP(address);
    if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) {
      throw new ConfigError([`${setting}: "${network}" is not a network, such as 172.16.0.0/12`]);
    }
    networks.addSubnet(address, Number(bits), version === 4 ? "ipv4" : "ipv6");
  }
  return networks;
}
