import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { type Compressible, inEncoding } from "./compressed.ts";

/** The files that pages refer to, each with its media type. */
const mediaTypes = {
  "theme.css": "text/css; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "portal.css": "text/css; charset=utf-8",
  "portal.js": "text/javascript; charset=utf-8",
  "passkey.js": "text/javascript; charset=utf-8",
  "wordmark.svg": "image/svg+xml",
  "mark.svg": "image/svg+xml",
} as const;

type AssetName = keyof typeof mediaTypes;
type Asset = Compressible & { url: string; mediaType: string };

const assets = new Map<string, Asset>();
for (const [name, mediaType] of Object.entries(mediaTypes)) {
  const content = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const url = `/assets/${name.replace(".", `.${sha256(content).slice(0, 12)}.`)}`;
  assets.set(name, { url, content, mediaType, compressed: new Map() });
}

/** The URL of an asset, with a hash of its content, so that it may be cached forever. */
export const assetUrl = (name: AssetName): string => present(assets.get(name), name).url;

/** Serves every asset under its hashed URL. */
export function registerAssets(app: FastifyInstance): void {
  for (const asset of assets.values()) {
    app.get(asset.url, (request, reply) => {
      reply.headers({
        "content-type": asset.mediaType,
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
      });
      return reply.send(inEncoding(request, reply, asset));
    });
  }
}
