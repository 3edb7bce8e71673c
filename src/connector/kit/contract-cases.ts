import type { CallName } from "#src/bank/port-answers.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import { callRows, contractVersion, otherRows } from "#src/connector/operations.ts";
import { callerCases } from "./caller-cases.ts";
import type { KitExchange } from "./client.ts";
import { expectSame, expectThat } from "./expect.ts";
import { has } from "./has-call.ts";
import type { Kit } from "./kit.ts";
import type { KitGroup } from "./kit-case.ts";

const version = "A core answers 400 to a version of the contract that it does not know.";
const problem = "An answer that is not 200 is a problem document with a title.";
const members = "A core ignores members that it does not know.";
const about = "GET /about says what the core has.";

/** Fails unless the core has rejected a request. */
function expectRejected(exchange: KitExchange): void {
  const { status } = exchange;
  const isRejected = status !== null && status >= 400 && status < 500;
  expectThat(isRejected, "an answer from 400 to 499", `${status ?? exchange.answer}`);
}

const loadOwn = (kit: Kit, body: unknown, headers: Record<string, string | undefined> = {}) => {
  const { path } = callRows.loadAccount;
  return kit.client.send({ path, body, headers, deadlineMs: kit.deadlineOf("loadAccount") });
};

const ownId = (kit: Kit) => ({ accountId: kit.idOf("own") });

/** K1: how the core speaks. */
export const contractCases: KitGroup = {
  id: "K1",
  name: "contract",
  about: "The form of requests and answers",
  cases: [
    {
      id: "K1-01",
      title: "the answer to GET /about fits the contract",
      calls: ["readAbout"],
      rule: about,
      async run(kit) {
        kit.readBody("readAbout", otherRows.readAbout.answer, await kit.sendAbout());
      },
    },
    {
      id: "K1-02",
      title: "GET /about says the same again",
      calls: ["readAbout"],
      rule: about,
      async run(kit) {
        const [one, other] = [await kit.sendAbout(), await kit.sendAbout()];
        expectSame(other.answer, one.answer, "the same answer twice");
      },
    },
    {
      id: "K1-03",
      title: "an unknown version of the contract is rejected with 400",
      calls: ["readAbout"],
      rule: version,
      async run(kit) {
        const { status } = await kit.sendAbout({ "aldgate-contract": `${contractVersion + 998}` });
        expectSame(status, 400, "the status");
      },
    },
    {
      id: "K1-04",
      title: "a request without a version of the contract is rejected with 400",
      calls: ["loadAccount"],
      rule: version,
      async run(kit) {
        const { status } = await loadOwn(kit, ownId(kit), { "aldgate-contract": undefined });
        expectSame(status, 400, "the status");
      },
    },
    {
      id: "K1-05",
      title: "a payment under an unknown version of the contract is not reserved",
      calls: ["reserve", "ask"],
      asks: ["mayBeSpent"],
      rule: version,
      async run(kit) {
        const payment = await kit.payment();
        const headers = { "aldgate-contract": `${contractVersion + 998}` };
        expectRejected(await kit.send("reserve", [[payment]], { headers }));
        expectSame((await kit.ask(payment.paymentId)).state, "unknown", "the state");
      },
    },
    {
      id: "K1-06",
      title: "a member that the core does not know changes nothing",
      calls: ["loadAccount"],
      rule: members,
      async run(kit) {
        const plain = await loadOwn(kit, ownId(kit));
        const more = await loadOwn(kit, { ...ownId(kit), ofALaterRelease: { a: [1, null] } });
        expectSame(more.status, 200, "the status");
        expectSame(more.answer, plain.answer, "the answer without the member");
      },
    },
    {
      id: "K1-07",
      title: "headers that the core does not know change nothing",
      calls: ["loadAccount"],
      rule: "The headers traceparent and x-fapi-interaction-id may come with every call.",
      async run(kit) {
        const traceparent = `00-${"4bf92f3577b34da6"}${"a3ce929d0e0e4736"}-00f067aa0ba902b7-01`;
        const { status } = await loadOwn(kit, ownId(kit), {
          traceparent,
          "x-fapi-interaction-id": "93bac548-d2de-4546-b106-880a5018460d",
          "x-of-a-later-release": "1",
        });
        expectSame(status, 200, "the status");
      },
    },
    {
      id: "K1-08",
      title: "a body that is not JSON is rejected",
      calls: ["loadAccount"],
      rule: problem,
      run: async (kit) => expectRejected(await loadOwn(kit, '{"accountId":')),
    },
    {
      id: "K1-09",
      title: "a request without one of its members is rejected",
      calls: ["loadAccount"],
      rule: problem,
      run: async (kit) => expectRejected(await loadOwn(kit, {})),
    },
    {
      id: "K1-10",
      title: "a member of another type is rejected",
      calls: ["loadAccount"],
      rule: problem,
      run: async (kit) => expectRejected(await loadOwn(kit, { accountId: { id: 1 } })),
    },
    {
      id: "K1-11",
      title: "an error is a problem document with a title",
      calls: ["loadAccount"],
      rule: problem,
      async run(kit) {
        const { answer, contentType } = await loadOwn(kit, {});
        const type = "the content type application/problem+json";
        expectThat(/^application\/(problem\+)?json\b/.test(contentType), type, contentType);
        const title = /"title"\s*:\s*"[^"]/.test(answer);
        expectThat(title, "a member title with words", answer.slice(0, 200));
      },
    },
    {
      id: "K1-12",
      title: "an operation that does not exist gets 404",
      calls: [],
      rule: problem,
      async run(kit) {
        const body = ownId(kit);
        const path = "/of-a-later-release";
        const { status } = await kit.client.send({ path, body, deadlineMs: 3000 });
        expectSame(status, 404, "the status");
      },
    },
    {
      id: "K1-13",
      title: "the core has every operation that its parts need",
      calls: [],
      rule: "A core has the operations of its parts (x-parts in /openapi/bank-v1.json).",
      run: (kit) => expectServed(kit, false),
    },
    {
      id: "K1-14",
      title: "the core has every optional operation that it lists",
      calls: [],
      rule: "A core lists the optional operations that it has in /about.",
      run: (kit) => expectServed(kit, true),
    },
    {
      id: "K1-15",
      title: "names keep their letters",
      calls: ["loadAccount"],
      rule: "Bodies are JSON in UTF-8.",
      async run(kit) {
        const { contentType } = await loadOwn(kit, ownId(kit));
        const isJson = /^application\/json\b/.test(contentType);
        expectThat(isJson, "the content type application/json", contentType);
        const account = await kit.call("loadAccount", "Zoë–O’Neill–1");
        expectSame(account, null, "no account with an id of other letters");
      },
    },
    ...callerCases,
  ],
};

/** Fails if the core answers 404 or 405 to an operation that it must have. */
async function expectServed(kit: Kit, isOptional: boolean): Promise<void> {
  const names = Object.keys(callRows) as CallName[]; // the table has no other keys
  const missing: string[] = [];
  for (const name of names) {
    if ((portCalls[name].isOptional ?? false) !== isOptional || !has(kit.about, name)) continue;
    const { path } = callRows[name];
    // no operation takes an empty list, so nothing happens
    const { status } = await kit.client.send({ path, body: [], deadlineMs: kit.deadlineOf(name) });
    if (status === 404 || status === 405) missing.push(`POST ${path}`);
  }
  expectSame(missing, [], "the operations that are missing");
}
