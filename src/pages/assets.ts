import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";

/** The files that pages refer to, each with its media type. */
const mediaTypes = {
  "theme.css": "text/css; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "portal.css": "text/css; charset=utf-8",
  "portal.js": "text/javascript; charset=utf-8",
  "wordmark.svg": "image/svg+xml",
  "mark.svg": "image/svg+xml",
} as const;

type AssetName = keyof typeof mediaTypes;
type Asset = { url: string; bytes: Buffer; mediaType: string };

const assets = new Map<string, Asset>();
for (const [name, mediaType] of Object.entries(mediaTypes)) {
  const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const hash = sha256(bytes).slice(0, 12);
  assets.set(name, { url: `/assets/${name.replace(".", `.${hash}.`)}`, bytes, mediaType });
}

/** The URL of an asset, with a hash of its content, so that it may be cached forever. */
export const assetUrl = (name: AssetName): string => present(assets.get(name), name).url;

/** Serves every asset under its hashed URL. */
export function registerAssets(app: FastifyInstance): void {
  for (const { url, bytes, mediaType } of assets.values()) {
    app.get(url, (_request, reply) =>
      reply
        .header("content-type", mediaType)
        .header("cache-control", "public, max-age=31536000, immutable")
        .header("x-content-type-options", "nosniff")
        .send(bytes),
    );
  }
}
