import assert from "node:assert/strict";
import { after, test } from "node:test";
import { systemClock } from "#src/lib/clock.ts";
import { openBankProvider } from "./bank-provider.ts";
import { Visitor } from "./visitor.ts";

const provider = await openBankProvider();
const login = await provider.serve("http://localhost:9");
after(() => provider.close());

test("a provider may make the key of a token after it was asked for its keys", async () => {
  const begun = systemClock.now();
  const subject = { act: "login" } as const;
  const handOver = () => ({
    ...{ uid: "a-journey", clientName: "A TPP", subject },
    age: systemClock.now().since(begun),
  });
  const there = new Visitor({ publicUrl: provider.issuer });
  await there.open(await login.urlFor(handOver()));
  await there.open(there.shown.url, { answer: "confirm" });
  provider.mood.isKeyNew = true;
  const answer = Object.fromEntries(new URL(there.shown.url).searchParams);
  const result = await login.judge(handOver(), answer);
  assert.equal(result.state, "approved", JSON.stringify(result));
  assert.equal(provider.mood.isKeyNew, false);
});
