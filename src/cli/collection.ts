import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { addressesOf } from "#src/config/addresses.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { collectionFormats, makeCollection } from "#src/server/portal/collections.ts";
import { listDocuments, withSamples } from "#src/server/portal/documents.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";

const formatIds = collectionFormats.map(({ id }) => id);

/** `./aldgate collection` */
export const command: Command = {
  name: "collection",
  summary: "writes a Postman or Bruno collection of every request of the APIs",
  usage: [
    `  ./aldgate collection ${formatIds.join("|")} FOLDER`,
    "The requests run against the sandbox of this configuration, which must be running.",
  ].join("\n"),
  json: { "": ["folder", "files"] },
  next: [["start", "opens the sandbox that the requests run against"]],
  async run(cli) {
    const [id, folder, ...more] = readOptions(cli.arguments, {}).rest;
    const format = collectionFormats.find((one) => one.id === id);
    if (!format || folder === undefined || more.length > 0)
      throw new UsageError(
        `Give ${formatIds.join(" or ")} and the folder to write into.`,
        formatIds,
      );
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
    const counted = countOf(files.size, "file", "files");
    const written = { folder: resolve(folder), files: [...files.keys()] };
    return { lines: [`${counted} in ${written.folder}`], json: written };
  },
};
