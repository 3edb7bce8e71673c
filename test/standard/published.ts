import { readdirSync, readFileSync } from "node:fs";
import type { CodeSetFacts, Source } from "#scripts/extract-published.ts";
import type { OpenApi } from "./compare-with-published.ts";

// The facts of the published files, without their prose. scripts/extract-published.ts writes them.
const folder = new URL("published/", import.meta.url);

const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));

/** Loads the facts of a published OpenAPI file, as an OpenAPI document. */
export const loadPublished = (name: string): OpenApi & { source: Source } => read(name);

/** Loads the published codes of each code set. */
export const loadCodeSets = (
  name: "iso-external-codeset.json" | "ob-internal-codeset.json",
): CodeSetFacts["codeSets"] => read(name).codeSets;

/** Lists the names of all files of facts. */
export const listFacts = (): string[] => readdirSync(folder);

/** The published files of each of our APIs: variable recurring payments have their own. */
export const publishedFiles = {
  "pisp-v3.1": ["payment-initiation-v3.1.11.json", "vrp-v3.1.11.json"],
  "pisp-v4.0": ["payment-initiation-v4.0.1.json", "vrp-v4.0.1.json"],
  "aisp-v3.1": ["account-info-v3.1.11.json"],
  "aisp-v4.0": ["account-info-v4.0.1.json"],
  "events-v3.1": ["events-v3.1.11.json"],
  "events-v4.0": ["events-v4.0.json"],
  "cbpii-v3.1": ["confirmation-of-funds-v3.1.11.json"],
  "cbpii-v4.0": ["confirmation-of-funds-v4.0.1.json"],
} as const;
