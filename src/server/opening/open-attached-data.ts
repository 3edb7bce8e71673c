import { deriveSecret } from "#src/auth/provider/provider-configuration.ts";
import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { listOf } from "#src/config/networks.ts";
import {
  type AttachedData,
  createAttachedData,
  type DataKey,
  unusableDataKey,
} from "#src/consents/attached-data.ts";
import type { Database } from "#src/storage/database.ts";

type Options = { config: Config; database: Database; keys: { cookieSecret: string } };

/** The bank whose core is given back what it has attached to consents. */
type Attaching = { bank: Bank; attachedData: AttachedData | null };

/** Opens the store of what the core attaches to consents, if it does so. Throws ConfigError. */
export async function openAttachedData(
  { bank }: { bank: Bank },
  options: Options,
): Promise<Attaching> {
  if (!bank.attachesData) return { bank, attachedData: null };
  const keys = dataKeys(options);
  const unusable = await unusableDataKey(options.database, keys);
  if (unusable) {
    const fault = unusableWords[unusable.is](unusable.id);
    throw new ConfigError([`ATTACHED_DATA_KEYS: ${fault}`]);
  }
  const attachedData = createAttachedData(options.database, keys);
  return { bank: attachedData.giveBackTo(bank), attachedData };
}

const unusableWords = {
  missing: (id: string) =>
    `the key ${id} is missing, with which stored data is encrypted; add it again, after the new keys`,
  another: (id: string) =>
    `the key ${id} is another one than that with which stored data is encrypted; give the former ` +
    `key again under this id, and a new key an id of its own`,
};

function dataKeys({ config, keys }: Options): [DataKey, ...DataKey[]] {
  const refuse = (fault: string) => new ConfigError([`ATTACHED_DATA_KEYS: ${fault}`]);
  const [first, ...others] = listOf(config.ATTACHED_DATA_KEYS).map((text): DataKey => {
    const [id = "", hex = ""] = text.split("=");
    return { id, key: Buffer.from(hex, "hex") };
  });
  if (first) {
    const ids = new Set([first, ...others].map(({ id }) => id));
    if (ids.size <= others.length) throw refuse("two keys have the same id");
    return [first, ...others];
  }
  if (config.ALDGATE_PROFILE === "production") {
    throw refuse("the core attaches data to consents, so production needs a key to encrypt it");
  }
  const key = Buffer.from(deriveSecret(keys.cookieSecret, "attached data"), "base64url");
  return [{ id: "sandbox", key }];
}
