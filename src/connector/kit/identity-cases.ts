import {
  type Challenge,
  type ChallengeSubject,
  type PasskeyRequest,
  subjectHash,
} from "#src/bank/challenge.ts";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { appCases } from "./app-cases.ts";
import { payment, subjects } from "./challenge-subjects.ts";
import { expectSame, expectThat, NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitGroup } from "./kit-case.ts";

const login = "authenticate returns the customer with this login and password, or null.";
const alike = "authenticate takes the same time whether login and password are right or wrong.";
const once = "A challenge can be answered once, and only until it expires.";
const bound = "A challenge confirms only its subject.";

async function challenge(kit: Kit, subject: ChallengeSubject = payment("£10.00")) {
  const { customerId } = await kit.customer(0);
  return kit.call("challenge", customerId, subject, { subjectHash: subjectHash(subject) });
}

/** A challenge whose answer is a code. */
async function codeChallenge(
  kit: Kit,
  subject: ChallengeSubject = payment("£10.00"),
): Promise<Challenge> {
  const { customerId } = await kit.customer(0);
  const request = { subjectHash: subjectHash(subject), method: "code" as const };
  const found = await kit.call("challenge", customerId, subject, request);
  if (found.method !== "code") throw new NotAsked(`the core's challenges are ${found.method}`);
  return found;
}

/** A challenge whose answer is a passkey, with the bytes that the passkey signs. */
async function passkeyChallenge(kit: Kit) {
  const subject = payment("£10.00");
  const { challengeId, method, passkey } = await challenge(kit, subject);
  if (method !== "passkey") throw new NotAsked(`the core's challenges are ${method}`);
  const { request } = present(passkey, "passkey, which a challenge with this method has");
  const signed = Buffer.from(request.challenge, "base64url");
  const random = signed.subarray(0, -hashBytes);
  const hash = signed.subarray(-hashBytes).toString("base64url");
  return { challengeId, request, random, hash, subjectHash: subjectHash(subject) };
}

const hashBytes = 32;
const randomBytesAtLeast = 16;

/** What a browser would send for a passkey whose device has signed nothing. */
function unsigned({ challenge: given, rpId, allowCredentials }: PasskeyRequest): string {
  const client = { type: "webauthn.get", challenge: given, origin: `https://${rpId}` };
  const flags = Buffer.from([0x05, 0, 0, 0, 1]);
  const data = Buffer.concat([Buffer.from(sha256(rpId), "base64url"), flags]);
  return JSON.stringify({
    id: allowCredentials[0]?.id,
    type: "public-key",
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(client)).toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: Buffer.from("no signature").toString("base64url"),
    },
  });
}

/** A code of the same length that is wrong. */
const wrongFor = (code: string): string => code.replace(/\d/g, (digit) => `${9 - Number(digit)}`);

const wrongTries = 12;
const timedTries = 6;
const timedRounds = 3;
// a difference that no network makes
const tellingMs = 20;

/** Times a wrong password and an unknown login: the best of several tries, in either order. */
async function timeLogins(kit: Kit): Promise<{ wrong: number; unknown: number }> {
  const { login: name, password } = kit.loginOf(1);
  const best = { wrong: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  const logins = [
    ["wrong", name],
    ["unknown", `${name}-x`],
  ] as const;
  for (let count = 0; count < timedTries; count += 1) {
    for (const [side, given] of count % 2 === 0 ? logins : logins.toReversed()) {
      const { milliseconds } = await kit.send("authenticate", [given, `${password}x`]);
      best[side] = Math.min(best[side], milliseconds);
    }
  }
  return best;
}

/** K2: who the customer is. */
export const identityCases: KitGroup = {
  id: "K2",
  name: "identity",
  about: "Login, customers and second factors",
  cases: [
    {
      id: "K2-01",
      title: "the right login and password give the customer",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const found = await kit.customer(0);
        expectSame(found.login, kit.loginOf(0).login, "the login");
      },
    },
    {
      id: "K2-02",
      title: "a wrong password gives null",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const { login: name, password } = kit.loginOf(0);
        expectSame(await kit.call("authenticate", name, `${password}x`), null, "the customer");
      },
    },
    {
      id: "K2-03",
      title: "an unknown login gives null",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const { login: name, password } = kit.loginOf(0);
        expectSame(await kit.call("authenticate", `${name}-x`, password), null, "the customer");
      },
    },
    {
      id: "K2-04",
      title: "the answers to a wrong password and to an unknown login are the same",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const { login: name, password } = kit.loginOf(1);
        const wrong = await kit.send("authenticate", [name, `${password}x`]);
        const unknown = await kit.send("authenticate", [`${name}-x`, `${password}x`]);
        const seen = ({ status, answer }: typeof wrong) => `${status} ${answer}`;
        expectSame(seen(unknown), seen(wrong), "the answer to the unknown login");
      },
    },
    {
      id: "K2-05",
      title: "a wrong password and an unknown login take the same time",
      calls: ["authenticate"],
      rule: alike,
      async run(kit) {
        // chance favours now the one and now the other, but a core always the same
        const sooner = new Set<string>();
        let came = "";
        for (let round = 0; round < timedRounds && sooner.size < 2; round += 1) {
          const { wrong, unknown } = await timeLogins(kit);
          came = `${wrong.toFixed(1)} ms (wrong) and ${unknown.toFixed(1)} ms (unknown)`;
          kit.notes.push(came);
          const [less, more] = [Math.min(wrong, unknown), Math.max(wrong, unknown)];
          if (more - less <= tellingMs || more <= 2 * less) return;
          sooner.add(less === wrong ? "wrong" : "unknown");
        }
        const expected = `times that do not tell them apart in one of ${timedRounds} rounds`;
        expectThat(sooner.size > 1, expected, came);
      },
    },
    {
      id: "K2-06",
      title: "an empty password gives null",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const found = await kit.call("authenticate", kit.loginOf(0).login, "");
        expectSame(found, null, "the customer");
      },
    },
    {
      id: "K2-07",
      title: "a password of another customer gives null",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const [{ login: name, password }, other] = [kit.loginOf(0), kit.loginOf(1)];
        if (password === other.password) throw new NotAsked("both customers have one password");
        expectSame(await kit.call("authenticate", name, other.password), null, "the customer");
      },
    },
    {
      id: "K2-08",
      title: "two logins are two customers",
      calls: ["authenticate"],
      rule: login,
      async run(kit) {
        const [one, other] = [await kit.customer(0), await kit.customer(1)];
        expectThat(one.customerId !== other.customerId, "two ids", one.customerId);
      },
    },
    {
      id: "K2-09",
      title: "the customer can be read by the id",
      calls: ["loadCustomer"],
      rule: "loadCustomer returns the customer with this id, or null.",
      async run(kit) {
        const found = await kit.customer(0);
        expectSame(await kit.call("loadCustomer", found.customerId), found, "the customer");
      },
    },
    {
      id: "K2-10",
      title: "there is no customer with an unknown id",
      calls: ["loadCustomer"],
      rule: "An object that does not exist is null.",
      async run(kit) {
        expectSame(await kit.call("loadCustomer", "no-such-customer"), null, "the customer");
      },
    },
    {
      id: "K2-11",
      title: "a challenge expires within an hour from now",
      calls: ["challenge"],
      rule: once,
      async run(kit) {
        const { expiresAt } = await challenge(kit);
        const minutes = Temporal.Now.instant().until(expiresAt).total("minutes");
        expectThat(minutes > 0 && minutes <= 60, "0 to 60 minutes", `${minutes.toFixed(1)}`);
      },
    },
    {
      id: "K2-12",
      title: "two challenges have two ids",
      calls: ["challenge"],
      rule: once,
      async run(kit) {
        const [one, other] = [await challenge(kit), await challenge(kit)];
        expectThat(one.challengeId !== other.challengeId, "two ids", one.challengeId);
      },
    },
    {
      id: "K2-13",
      title: "a challenge can be about each subject",
      calls: ["challenge"],
      rule: "The subject is one of those in the contract.",
      async run(kit) {
        for (const subject of subjects) await challenge(kit, subject);
      },
    },
    {
      id: "K2-14",
      title: "the right code confirms a challenge",
      calls: ["challenge", "verify"],
      rule: once,
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = await kit.codeOf(challengeId);
        const proved = await kit.call("verify", challengeId, code);
        expectSame(proved !== false, true, "the code is right");
      },
    },
    {
      id: "K2-15",
      title: "a wrong code does not confirm a challenge",
      calls: ["challenge", "verify"],
      rule: once,
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = wrongFor(await kit.codeOf(challengeId));
        expectSame(await kit.call("verify", challengeId, code), false, "the code is right");
      },
    },
    {
      id: "K2-16",
      title: "a code can be used once",
      calls: ["challenge", "verify"],
      rule: once,
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = await kit.codeOf(challengeId);
        await kit.call("verify", challengeId, code);
        expectSame(await kit.call("verify", challengeId, code), false, "the code is right again");
      },
    },
    {
      id: "K2-17",
      title: "of two answers at the same time, one confirms the challenge",
      calls: ["challenge", "verify"],
      rule: once,
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = await kit.codeOf(challengeId);
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => kit.call("verify", challengeId, code)),
        );
        expectSame(answers.filter(Boolean).length, 1, "how many of 8 answers are right");
      },
    },
    {
      id: "K2-18",
      title: `after ${wrongTries} wrong codes, the right one is too late`,
      calls: ["challenge", "verify"],
      rule: "verify returns false once a challenge has had too many wrong codes.",
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = await kit.codeOf(challengeId);
        for (let count = 0; count < wrongTries; count += 1) {
          await kit.call("verify", challengeId, wrongFor(code));
        }
        expectSame(await kit.call("verify", challengeId, code), false, "the code is right");
      },
    },
    {
      id: "K2-19",
      title: "the code of one payment does not confirm another",
      calls: ["challenge", "verify"],
      rule: bound,
      async run(kit) {
        const one = await codeChallenge(kit, payment("£10.00"));
        const other = await codeChallenge(kit, payment("£99.00"));
        const code = await kit.codeOf(one.challengeId);
        if (code === (await kit.codeOf(other.challengeId))) throw new NotAsked("the code is fixed");
        const isRight = await kit.call("verify", other.challengeId, code);
        expectSame(isRight, false, "the code is right for another amount");
      },
    },
    {
      id: "K2-20",
      title: "an unknown challenge cannot be confirmed",
      calls: ["verify"],
      rule: once,
      async run(kit) {
        const isRight = await kit.call("verify", "no-such-challenge", "123456");
        expectSame(isRight, false, "the code is right");
      },
    },
    {
      id: "K2-21",
      title: "a passkey signs the hash of the subject",
      calls: ["challenge"],
      rule: bound,
      async run(kit) {
        const { hash, random, subjectHash: wanted } = await passkeyChallenge(kit);
        expectSame(hash, wanted, "the last 32 bytes of the challenge");
        const came = `${random.length}`;
        expectThat(random.length >= randomBytesAtLeast, "16 random bytes before it", came);
      },
    },
    {
      id: "K2-22",
      title: "a passkey never signs the same twice",
      calls: ["challenge"],
      rule: once,
      async run(kit) {
        const [one, other] = [await passkeyChallenge(kit), await passkeyChallenge(kit)];
        expectThat(!one.random.equals(other.random), "other random bytes", "the same");
      },
    },
    {
      id: "K2-23",
      title: "what no passkey has signed does not confirm",
      calls: ["challenge", "verify"],
      rule: "verify returns false for a wrong answer.",
      async run(kit) {
        const { challengeId, request } = await passkeyChallenge(kit);
        const isRight = await kit.call("verify", challengeId, unsigned(request));
        expectSame(isRight, false, "the answer is right");
      },
    },
    ...appCases,
    {
      id: "K2-31",
      title: "a code whose last character is wrong does not confirm a challenge",
      calls: ["challenge", "verify"],
      rule: "verify returns false for a wrong answer.",
      async run(kit) {
        const { challengeId } = await codeChallenge(kit);
        const code = await kit.codeOf(challengeId);
        const almost = code.slice(0, -1) + (code.endsWith("1") ? "2" : "1");
        expectSame(await kit.call("verify", challengeId, almost), false, "the code is right");
      },
    },
  ],
};
