import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endings, type JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { type EndingFacts, effectText, endingTexts, textsOf } from "#src/pages/journey-endings.ts";
import { momentText } from "#src/pages/wording.ts";
import { sql } from "#src/storage/sql.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, type Kind, openJourneys, toApproval } from "./journeys.ts";
import { assess, refused, wrongly } from "./refused-ending.ts";
import { Visitor } from "./visitor.ts";

// What the customer reads at each end of a journey: the cause, and only what is known.

let bed: AuthBed;
let journeys: Journeys;
/** The names of all who may sign for the joint account; null if the bank cannot say now. */
let signatories: string[] | null = null;
before(async () => {
  const bank = {
    assess,
    async listSignatories() {
      if (signatories === null) throw new Error("the core is out of order");
      return ["cust-joint", ...signatories].map((name) => ({ customerId: name, name }));
    },
  };
  bed = await openAuthBed({ bank });
  journeys = await openJourneys(bed);
});
after(() => bed.close());

type Opened = Awaited<ReturnType<Journeys["visit"]>>;

/** Opens the same request in another browser. */
async function elsewhere({ url }: Pick<Opened, "url">): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(url);
  return visitor;
}

async function approve(visitor: Visitor, login = "anna"): Promise<void> {
  await toApproval(visitor, login);
  await visitor.approve(login === "anna" ? "101" : "201");
  assert.ok((await answerOf(visitor)).code);
}

const change = (consentId: string, set: ReturnType<typeof sql>) =>
  bed.database.query(sql`update consent set ${set} where consent_id = ${consentId}`);

/** When a lock that begins now ends. */
const inAQuarter = () => momentText(bed.clock.now().add({ minutes: 15 }), bed.clock.now());

type Drive = {
  kind?: Kind;
  data?: Record<string, unknown>;
  /** Brings the journey to its end. */
  leave(visitor: Visitor, opened: Opened): Promise<unknown>;
  /** Texts that the page must show; a function if they depend on the time. */
  shows: readonly (string | RegExp | (() => string))[];
  /** Whether the page may say that nothing was paid or shared. */
  saysNothingWasDone: boolean;
};

const nothingDone = /Nothing was (paid|shared)|nothing was paid/;

const drives: Record<JourneyOutcome, Drive> = {
  approved: {
    leave: (visitor) => toApproval(visitor).then(() => visitor.approve()),
    shows: ["Approved", "You allowed Test TPP to see information about one of your accounts"],
    saysNothingWasDone: false,
  },
  cancelled: {
    leave: (visitor) => visitor.submit({ decision: "cancel" }),
    shows: ["Cancelled", "You have cancelled this request.", "Nothing was shared."],
    saysNothingWasDone: true,
  },
  timed_out: {
    kind: "domestic-payment",
    leave: async (visitor) => {
      bed.advance({ minutes: 16 });
      await visitor.open(visitor.shown.url);
    },
    shows: ["Your time has run out", "Nothing was paid.", "start again from Test TPP"],
    saysNothingWasDone: true,
  },
  locked: {
    leave: (visitor) => wrongly(visitor, { login: "poor", password: "wrong" }),
    shows: [() => `Your login is locked until ${inAQuarter()}`, "too many wrong passwords"],
    saysNothingWasDone: true,
  },
  too_many_codes: {
    leave: async (visitor) => {
      await visitor.login("ben");
      await wrongly(visitor, { code: "000000" });
    },
    shows: [() => `Your security codes are locked until ${inAQuarter()}`, "too many wrong codes"],
    saysNothingWasDone: true,
  },
  other_customer: {
    leave: async (visitor, opened) => {
      await approve(visitor);
      const other = await elsewhere(opened);
      await other.login("joint");
      await other.factor();
      return other;
    },
    shows: ["This request belongs to another customer", "Nothing has changed."],
    saysNothingWasDone: false,
  },
  not_expected: {
    kind: "domestic-payment",
    leave: async (_visitor, { consentId }) => {
      const claims = {
        id_token: {
          openbanking_intent_id: { value: consentId },
          sub: { value: "cust-anna" },
        },
      };
      const url = await journeys.tpp.authorizationUrl({
        scope: "payments",
        consentId,
        overrides: { claims },
      });
      const other = await elsewhere({ url });
      await other.login("joint");
      await other.factor();
      return other;
    },
    shows: ["Test TPP expects another customer", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  not_owned: {
    kind: "domestic-payment",
    data: { debtor: "20201012345201" },
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
    },
    shows: ["The account that Test TPP named is not one of yours", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  not_usable: {
    kind: "domestic-payment",
    data: { debtor: "20201012345102" },
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
    },
    shows: ["Your account cannot be used for this", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  ambiguous: {
    kind: "domestic-payment",
    data: { debtor: "20201012345400" },
    leave: async (visitor) => {
      await visitor.login("roll");
      await visitor.factor();
    },
    shows: ["More than one of your accounts has this number", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  unmet: {
    kind: "domestic-payment",
    data: { Authorisation: { AuthorisationType: "Single" } },
    leave: async (visitor) => {
      await visitor.login("joint");
      await visitor.factor();
    },
    shows: ["This request does not fit your accounts", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  expired: {
    leave: async (visitor, { consentId }) => {
      await change(consentId, sql`expires_at = ${bed.clock.now()}, lapses_at = ${bed.clock.now()}`);
      await visitor.login("anna");
    },
    shows: ["This request has expired", "Nothing was shared."],
    saysNothingWasDone: true,
  },
  too_late: {
    kind: "domestic-payment",
    data: { late: "U012" },
    leave: async () => undefined,
    shows: ["It is too late to approve this request", "cut-off time", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  refused,
  altered: {
    kind: "domestic-payment",
    leave: async (visitor, { consentId }) => {
      await visitor.login("anna");
      const body = JSON.stringify({ Data: { amount: "£999.00" } });
      await change(consentId, sql`body = ${body}::json`);
      await visitor.factor();
    },
    shows: ["This request has changed", "Nothing was paid."],
    saysNothingWasDone: true,
  },
  overtaken: {
    kind: "domestic-payment",
    leave: async (visitor, opened) => {
      await toApproval(visitor);
      await approve(await elsewhere(opened));
      await visitor.approve();
    },
    shows: [
      "You have already approved this",
      "on another device or in another tab",
      "so that you do not pay twice",
    ],
    saysNothingWasDone: false,
  },
  withdrawn: {
    leave: async (visitor, { consentId }) => {
      await change(consentId, sql`deleted_at = ${bed.clock.now()}`);
      await visitor.login("anna");
    },
    shows: ["Test TPP has withdrawn this request", "Nothing was shared."],
    saysNothingWasDone: true,
  },
  closed: {
    leave: async (visitor, opened) => {
      const other = await elsewhere(opened);
      await other.submit({ decision: "cancel" });
      await visitor.login("anna");
    },
    shows: ["This request is closed", "Nothing was shared."],
    saysNothingWasDone: true,
  },
};

for (const [outcome, drive] of Object.entries(drives)) {
  const { kind = "account-access", data = {}, leave, shows, saysNothingWasDone } = drive;
  test(`the page of a journey that ended as ${outcome} gives this cause, also on later visits`, async () => {
    const opened = await journeys.visit(kind, data);
    const other = await leave(opened.visitor, opened);
    const visitor = other instanceof Visitor ? other : opened.visitor;
    const { url } = visitor.shown;
    assert.equal(visitor.step, "returning", visitor.shown.body);
    const check = () => {
      const text = visitor.shown.body;
      for (const each of shows) {
        const shown = typeof each === "function" ? each() : each;
        if (typeof shown === "string") assert.ok(text.includes(shown), `${shown} in ${text}`);
        else assert.match(text, shown);
      }
      assert.equal(nothingDone.test(text), saysNothingWasDone, text);
    };
    check();
    const isAtOnce = /http-equiv="refresh"/.test(visitor.shown.body);
    assert.equal(isAtOnce, outcome === "approved" || outcome === "cancelled");
    const [stored] = await bed.database.query<{ outcome: string }>(sql`
      select outcome from journey where uid = ${url.split("/").at(-1)}`);
    assert.equal(stored?.outcome, outcome);
    await visitor.goBack();
    await visitor.open(url);
    assert.equal(visitor.step, "page");
    check();
  });
}

const allFacts: EndingFacts[] = [];
for (const noun of ["payment", "payment permission", "access", "funds checks"] as const) {
  for (const consent of ["untouched", "kept", "unknown"] as const) {
    for (const isOwn of [true, false]) {
      for (const lockedUntil of [null, "06:27"]) {
        for (const reasonCode of [null, "U012", "DT01", "U042"]) {
          const always = { clientName: "X", approval: null, refusal: null };
          allFacts.push({ ...always, noun, consent, isOwn, lockedUntil, reasonCode });
        }
      }
    }
  }
}

test("no two causes share a title or a sentence, and no ending itself says what was paid", () => {
  const owners = new Map<string, string>();
  for (const outcome of Object.keys(endingTexts) as JourneyOutcome[]) {
    for (const facts of allFacts) {
      const { title, text } = textsOf(outcome, facts);
      for (const each of [title, text]) {
        // both locks without an end are told apart by their sentence
        if (each === "Too many wrong tries") continue;
        assert.equal(owners.get(each) ?? outcome, outcome, each);
        owners.set(each, outcome);
        assert.doesNotMatch(each, /paid|shared/);
      }
    }
  }
  assert.deepEqual(Object.keys(endings).sort(), Object.keys(endingTexts).sort());
});

test("only a consent that was never approved lets a page say that nothing was paid", () => {
  for (const facts of allFacts) {
    const said = effectText(facts) ?? "";
    assert.equal(/paid|shared/.test(said), facts.consent === "untouched", said);
    if (facts.consent === "kept" && !facts.isOwn) assert.equal(said, "Nothing has changed.");
  }
});

const stages = ["login", "factor", "accounts", "review"] as const;
for (const kind of ["domestic-payment", "account-access"] as const) {
  for (const stage of stages) {
    test(`after an approval on another device, no page at ${stage} is shown again (${kind})`, async () => {
      const opened = await journeys.visit(kind, { review: stage === "review" });
      const { visitor, consentId } = opened;
      if (stage !== "login") await visitor.login("anna");
      if (stage === "accounts" || stage === "review") await visitor.factor();
      if (stage === "review") await visitor.submit({ account: "101", decision: "continue" });
      assert.equal(visitor.step, stage);
      const back = visitor.shown;
      const other = await elsewhere(opened);
      await other.login("anna");
      await other.factor();
      await other.submit({ account: "101", decision: other.go });
      if (other.step === "review") await other.submit({ decision: "approve" });
      assert.ok((await answerOf(other)).code);
      const decided = await bed.consent(consentId);
      await visitor.open(back.url);
      assert.match(visitor.shown.body, /already (approved this|been approved)/);
      assert.doesNotMatch(visitor.shown.body, nothingDone);
      visitor.shown = back;
      await visitor.submit({ login: "anna", password: "anna-password", account: "101" });
      assert.match(visitor.shown.body, /already (approved this|been approved)/);
      assert.equal((await answerOf(visitor)).error, "access_denied");
      assert.deepEqual(await bed.consent(consentId), decided);
    });
  }
}

test("a cancellation that comes after an approval on another device does not say that nothing was paid", async () => {
  const opened = await journeys.visit("domestic-payment");
  const { visitor, consentId } = opened;
  await toApproval(visitor);
  const other = await elsewhere(opened);
  await toApproval(other);
  await Promise.all([other.approve(), visitor.submit({ decision: "cancel" })]);
  const { status } = await bed.consent(consentId);
  await visitor.open(visitor.shown.url);
  assert.equal(nothingDone.test(visitor.shown.body), status === "RJCT", visitor.shown.body);
});

test("a failed renewal says that nothing has changed", async () => {
  const opened = await journeys.visit("account-access");
  await approve(opened.visitor);
  const again = await elsewhere(opened);
  await again.login("anna");
  await again.submit({ decision: "cancel" });
  const kept = "Nothing has changed: Test TPP keeps the access that you gave it before.";
  assert.ok(again.shown.body.includes(kept), again.shown.body);
});

test("each wrong try says how many are left, and the one before the last what follows it", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("joint");
  const said: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await visitor.submit({ code: "000000", decision: "continue" });
    said.push(/id="problem"><p>([^<]+)/.exec(visitor.shown.body)?.[1] ?? "");
  }
  assert.match(said[0] ?? "", /You have 4 more tries\.$/);
  assert.match(said[2] ?? "", /You have 2 more tries\.$/);
  assert.match(
    said[3] ?? "",
    /You have one more try\. If it is wrong too, we will stop this request/,
  );
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
});

test("a locked login is told until when, as a time", async () => {
  const first = await journeys.visit("account-access");
  await wrongly(first.visitor, { login: "nobody", password: "wrong" });
  const { visitor } = await journeys.visit("account-access");
  await visitor.submit({ login: "nobody", password: "wrong", decision: "continue" });
  assert.equal(visitor.shown.status, 429);
  assert.match(visitor.shown.body, /too many attempts\. Try again after \d\d:\d\d/);
});

test("the page after an approval names the others who must approve, or says how many if the bank does not know them", async () => {
  const { visitor, consentId } = await journeys.visit("domestic-payment");
  await toApproval(visitor, "joint");
  await visitor.approve("301");
  const cases = [
    [2, null, "one other person has"],
    [3, [], "2 other people have"],
    [2, ["Ann North"], "Ann North has"],
    [2, ["Ann North", "Ben Star"], "Ann North or Ben Star has"],
    [3, ["Ann North", "Ben Star"], "Ann North and Ben Star have"],
    [3, ["Ann North", "Ben Star", "Cy Low"], "2 of Ann North, Ben Star and Cy Low have"],
  ] as const;
  for (const [required, names, who] of cases) {
    signatories = names && [...names];
    const set = sql`jsonb_set(debtor::jsonb, '{signatoriesRequired}', ${String(required)}::jsonb)`;
    await change(consentId, sql`debtor = ${set}::json`);
    await visitor.open(visitor.shown.url);
    assert.ok(visitor.shown.body.includes(`We will not pay until ${who} approved it too.`), who);
  }
});
