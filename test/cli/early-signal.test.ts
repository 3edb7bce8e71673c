import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "#src/cli/main.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { makePlace, skipReason } from "./running-bank.ts";

test("a bank closes cleanly if it gets SIGTERM as soon as it reports that it is open", {
  skip: skipReason,
}, async () => {
  const place = await makePlace();
  let signal: ((name: "SIGTERM") => void) | null = null;
  const said: string[] = [];
  try {
    const code = await runCli({
      arguments: ["start"],
      environment: place.environment,
      clock: systemClock,
      isTerminal: false,
      kinds: async () => paymentKinds,
      print(text) {
        if (!text.includes("Aldgate is open.")) return;
        assert.ok(signal, "the bank handles signals");
        signal("SIGTERM");
      },
      complain: (text) => void said.push(text),
      onSignal(handler) {
        signal = handler;
      },
    });
    assert.equal(code, 0, said.join("\n"));
    assert.match(said.join("\n"), /Closing/);
  } finally {
    place.remove();
  }
});
