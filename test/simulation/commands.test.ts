import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { outcomes } from "./calls.ts";
import { commandLists } from "./commands.ts";
import { consentKinds } from "./known.ts";
import { coreTroubles } from "./simulated-core.ts";
import { databaseTroubles } from "./simulated-server.ts";
import { networkTroubles } from "./simulated-tpp.ts";

const lists = fc.sample(commandLists(160, new Map()), { numRuns: 100, seed: 1 });
const drawn = lists.flatMap((list) => [...list].map(String));

test("every trouble, kind of consent and outcome is drawn", () => {
  const words = new Set(drawn.flatMap((text) => text.match(/(?<=")[^"]+(?=")/g) ?? []));
  const wanted = [...coreTroubles, ...databaseTroubles, ...networkTroubles];
  for (const word of [...wanted, ...consentKinds, ...outcomes]) assert.ok(words.has(word), word);
});

test("a core fails in each way that it can, and between failures it works", () => {
  const texts = drawn.filter((text) => text.startsWith("trouble in the core"));
  const planned = texts.flatMap((text) => /"troubles":\[(.*)\]/.exec(text)?.[1]?.split(",") ?? []);
  for (const trouble of coreTroubles) assert.ok(planned.includes(`"${trouble}"`), trouble);
  assert.ok(planned.includes("null"));
});
