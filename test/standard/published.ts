import { existsSync, readFileSync } from "node:fs";
import type { OpenApi } from "./compare-with-published.ts";

const folder = new URL("../../../shared/openapi/", import.meta.url);

/** Where the published files are looked for, and why a test that needs them is skipped. */
export const skipReason: string | false = existsSync(folder)
  ? false
  : "the published OpenAPI files are not at ../shared/openapi";

/** A published OpenAPI file. */
export const loadPublished = (name: string): OpenApi =>
  JSON.parse(readFileSync(new URL(name, folder), "utf8"));

/** The published file of each API of ours. */
export const publishedFiles = {
  "pisp-v4.0": "payment-initiation-v4.0.1.json",
  "aisp-v3.1": "account-info-v3.1.11.json",
} as const;
