import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { addressesOf } from "#src/config/addresses.ts";
import { collectionFormats, makeCollection } from "#src/server/portal/collections.ts";
import { listDocuments, withSamples } from "#src/server/portal/documents.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";

const formatIds = collectionFormats.map(({ id }) => id);

/** `./aldgate collection` */
export const command: Command = {
  name: "collection",
  summary: "writes a Postman or Bruno collection of every request of the APIs",
  usage: [
    `  ./aldgate collection ${formatIds.join("|")} FOLDER`,
    "Its requests run against the sandbox of this configuration, which must be open.",
  ].join("\n"),
  async run(cli) {
    const [id, folder] = cli.arguments;
    const format = collectionFormats.find((one) => one.id === id);
    if (!format || folder === undefined)
      throw new UsageError(`Give ${formatIds.join(" or ")} and the folder to write into.`);
    const config = configOf(cli.environment);
    const { publicUrl, mtlsUrl } = addressesOf(config);
    const kinds = await cli.kinds();
    const operations = listOperations(kinds, config);
    const documents = listDocuments({ publicUrl, mtlsUrl, operations, kinds, isSandbox: true });
    const today = cli.clock.now().toZonedDateTimeISO("UTC").toPlainDate();
    const collection = makeCollection(
      config.BANK_NAME,
      publicUrl,
      withSamples(documents, kinds, today),
    );
    const files = format.files(collection);
    for (const [path, text] of files) {
      const file = join(resolve(folder), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    cli.print(`${files.size} ${files.size === 1 ? "file" : "files"} in ${resolve(folder)}`);
    return 0;
  },
};
