import type { FastifyInstance } from "fastify";
import { portalHeaders } from "#src/pages/page-headers.ts";
import type { ListedDocument } from "#src/pages/portal/api-document.ts";
import { brunoCollection } from "#src/pages/portal/collection/bruno.ts";
import { collectionOf, type RequestCollection } from "#src/pages/portal/collection/collection.ts";
import { postmanCollection } from "#src/pages/portal/collection/postman.ts";
import { zipOf } from "#src/pages/portal/collection/zip.ts";

/** A program that a collection is written for. */
type CollectionFormat = {
  /** Its name for the command line. */
  id: string;
  /** The texts of the files by their paths. */
  files(collection: RequestCollection): ReadonlyMap<string, string>;
  /** The file that the bank serves. */
  download: { name: string; type: string; body(collection: RequestCollection): Buffer };
};

const postmanText = (collection: RequestCollection): string =>
  `${JSON.stringify(postmanCollection(collection), null, 2)}\n`;

/** The programs that collections are written for. */
export const collectionFormats: readonly CollectionFormat[] = [
  {
    id: "postman",
    files: (collection) => new Map([["aldgate.postman_collection.json", postmanText(collection)]]),
    download: {
      name: "postman.json",
      type: "application/json; charset=utf-8",
      body: (collection) => Buffer.from(postmanText(collection)),
    },
  },
  {
    id: "bruno",
    files: brunoCollection,
    download: {
      name: "bruno.zip",
      type: "application/zip",
      body: (collection) => zipOf(brunoCollection(collection)),
    },
  },
];

/** Where a collection is served. */
const collectionUrl = ({ download }: CollectionFormat): string =>
  `/docs/collections/${download.name}`;

/**
 * The requests of the standard's APIs at this bank. The sandbox's own interface is left out: it
 * needs no signature and no token.
 */
export const makeCollection = (
  bankName: string,
  publicUrl: string,
  documents: readonly ListedDocument[],
): RequestCollection =>
  collectionOf(
    bankName,
    publicUrl,
    documents.filter(({ id }) => id !== "sandbox-v1"),
  );

/** Serves the collections below `/docs/collections`. */
export function registerCollections(
  app: FastifyInstance,
  collection: () => RequestCollection,
): void {
  for (const format of collectionFormats) {
    const { name, type, body } = format.download;
    app.get(collectionUrl(format), (_request, reply) =>
      reply
        .headers({
          ...portalHeaders,
          "content-type": type,
          "content-disposition": `attachment; filename="aldgate-${name}"`,
        })
        .send(body(collection())),
    );
  }
}
