import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fastify from "fastify";
import type { Bank } from "#src/bank/port.ts";
import {
  type ConsentChannel,
  createConsentChannel,
  type WholeConsent,
} from "#src/channels/consent-channel.ts";
import { consentRows } from "#src/channels/consent-rows.ts";
import { accountAccess, usedOnce } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { serveGuarded } from "#src/server/listeners/guarded-rows.ts";
import type { Kind } from "./journeys.ts";
import { type Approvals, approvalsOf } from "./more-ways.ts";
import { textsIn } from "./shown-facts.ts";
import { methodBy, type WayName } from "./traveller.ts";

// Whatever a customer has read on the way to an approval is in the evidence that the bank exports,
// in its order, by every way, and anybody can compute its hashes again.

const customerText = "You have never paid Acme Ltd before.";
const bank: Partial<Bank> = {
  assess: async ({ sent, hasSteppedUp }) =>
    sent.consent.Data.stepUp === true && !hasSteppedUp
      ? { result: "step up", customerText }
      : { result: "allow" },
  confirmPayee: async ({ name }) =>
    name === "Acme Ltd" ? { result: "match" } : { result: "close match", name: "Acme Ltd" },
};

type Export = { read(consentId: string): Promise<WholeConsent>; close(): Promise<unknown> };
const token = "a-token-of-the-banks-own-channels";

/** Serves the evidence of a bank as the management listener does. */
async function openExport({ database, clock }: Approvals["bed"]): Promise<Export> {
  const server = fastify();
  const kinds = [
    { id: "account-access", scope: "accounts", course: accountAccess },
    { id: "domestic-payment", scope: "payments", course: usedOnce },
  ] as const;
  const listSignatures = async () => [];
  serveGuarded<ConsentChannel>(server, {
    ...{ prefix: "", rows: consentRows, keys: [{ token, setting: "CHANNELS_TOKEN" }], closed: "" },
    functions: createConsentChannel({ database, clock, kinds, listSignatures }),
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    async read(consentId) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/consents/${consentId}`, { headers });
      assert.equal(answer.status, 200);
      return (await answer.json()) as WholeConsent;
    },
    close: () => server.close(),
  };
}

const names = Object.keys(approvalsOf) as WayName[];
const opened = {} as Record<WayName, { approvals: Approvals; exported: Export }>;
before(async () => {
  for (const name of names) {
    const approvals = await approvalsOf[name](bank);
    opened[name] = { approvals, exported: await openExport(approvals.bed) };
  }
});
after(async () => {
  for (const { approvals, exported } of Object.values(opened)) {
    await exported.close();
    await approvals.close();
  }
});

type Case = {
  kind?: Kind;
  data?: Record<string, unknown>;
  account?: string;
  /** The steps after the customer has confirmed the request, where a page shows something. */
  after: string[];
  /** Facts that must be among those that the customer has read. */
  reads: string[];
};

const named = { debtor: "20201012345101" };
const review = { review: true, fees: true };
const warning = "The account is in the name of Acme Ltd";
const cases: Record<string, Case> = {
  "a choice of accounts": {
    kind: "account-access",
    account: "102",
    after: ["accounts"],
    reads: ["Your Account Details", "20-20-10 12345102"],
  },
  "an account that the TPP has named": { data: named, after: [], reads: ["£10.00", "Acme Ltd"] },
  "a review with fees and rates": {
    data: review,
    after: ["accounts", "review"],
    reads: ["£2.50", "20-20-10 12345101"],
  },
  "a payee whose name is another": {
    data: { payee: "Acme" },
    after: ["payee check", "accounts", "review"],
    reads: [warning],
  },
  "a payee whose name is right": {
    data: { payee: "Acme Ltd" },
    after: ["payee check", "accounts"],
    reads: ["£10.00"],
  },
  "a further confirmation": {
    data: { stepUp: true },
    after: ["accounts", "step-up"],
    reads: [customerText],
  },
  "all of these": {
    data: { ...review, payee: "Acme", stepUp: true },
    after: ["payee check", "accounts", "review", "step-up"],
    reads: [warning, customerText, "£2.50"],
  },
};

const firstSteps: Partial<Record<WayName, string>> = {
  redirect: "hand-over",
  app: "in-app",
};
const wayOf: Partial<Record<WayName, string>> = { app: "app", backchannel: "app" };

for (const [what, wanted] of Object.entries(cases)) {
  for (const name of names) {
    test(`CB-12: the evidence by ${name} has all that was shown with ${what}`, async () => {
      const { kind = "domestic-payment", data = {}, account = "101" } = wanted;
      const { approvals, exported } = opened[name];
      const { consentId, facts } = await approvals.approve(kind, data, account);
      const { authorisations } = await exported.read(consentId);
      const [given] = authorisations;
      const showings = present(given, "the authorisation").showings;
      const kept = textsIn(showings.map(({ shown }) => shown)).join("\n");
      for (const fact of facts) assert.ok(kept.includes(fact), `${fact} in\n${kept}`);
      assert.ok(!kept.includes("1,234.56"), "the balance of an account is not kept");
      for (const text of wanted.reads) assert.ok(facts.join("\n").includes(text), text);
      for (const { shown, shownHash } of showings) {
        assert.equal(sha256(canonicalJson(shown)), shownHash);
      }
      // the payee is checked before or after the customer confirms the request
      const steps = showings.map(({ step }) => step);
      const first = firstSteps[name] ?? "factor";
      const stepUp = wayOf[name] === "app" ? "in-app-step-up" : "step-up";
      const later = wanted.after.map((step) => (step === "step-up" ? stepUp : step));
      assert.deepEqual(steps.toSorted(), [first, ...later].toSorted());
      const isOrdered = (list: string[]) => list.filter((step) => step !== "payee check");
      assert.deepEqual(isOrdered(steps), isOrdered([first, ...later]));
      const firstShowing = showings.find(({ step }) => step === first);
      assert.equal(firstShowing?.way, wayOf[name] ?? (name === "redirect" ? "provider" : "page"));
      assert.equal(firstShowing?.answer?.method, methodBy(name));
      assert.equal(showings.at(-1)?.answer?.decision, "approve");
      const times = showings.map(({ at }) => at ?? "");
      assert.deepEqual(times, times.toSorted());
      const chosen = showings.find(({ step }) => step === "accounts")?.answer?.accountIds;
      assert.deepEqual(chosen, later.includes("accounts") ? [account] : undefined);
    });
  }
}

for (const name of names) {
  test(`the check of the payee's name is kept by ${name}: what was asked, the answer, the warning, and that the customer went on`, async () => {
    const { approvals, exported } = opened[name];
    const { consentId } = await approvals.approve("domestic-payment", { payee: "Acme" }, "101");
    const [given] = (await exported.read(consentId)).authorisations;
    const showings = present(given, "the authorisation").showings;
    const check = present(
      showings.find(({ step }) => step === "payee check"),
      "the check",
    );
    const shown = check.shown as Record<string, unknown>;
    assert.deepEqual(shown.asked, {
      schemeName: "UK.OBIE.SortCodeAccountNumber",
      identification: "20201010981789",
      name: "Acme",
      secondaryIdentification: null,
    });
    assert.deepEqual([shown.result, shown.name], ["close match", "Acme Ltd"]);
    assert.deepEqual(shown.warning, {
      title: warning,
      text: "That is close to Acme, but not the same. Continue only if this is who you want to pay.",
    });
    assert.ok(Temporal.Instant.from(check.at ?? ""));
    assert.deepEqual(check.answer, showings.find(({ step }) => step === "review")?.answer);
    assert.equal(check.answer?.decision, "approve");
  });
}
