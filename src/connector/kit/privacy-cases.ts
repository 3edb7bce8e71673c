import { subjectHash } from "#src/bank/challenge.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { callRows } from "#src/connector/operations.ts";
import { expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";

const titles = "The title of a problem is for Aldgate's log, so it never has a customer's data.";
const apart = "A call about a customer returns only what belongs to this customer.";
const digits = "Numbers of cards and phones are masked.";

const row = (
  id: string,
  title: string,
  calls: KitCase["calls"],
  rule: string,
  run: KitCase["run"],
  asks: KitCase["asks"] = [],
): KitCase => ({ id, title, calls, asks, rule, run });

/** Sends a call that is wrong in one member, and returns the text of the answer. */
async function failWith(kit: Kit, name: CallName, body: object): Promise<string> {
  const { path } = callRows[name];
  const { answer } = await kit.client.send({ path, body, deadlineMs: kit.deadlineOf(name) });
  return answer;
}

const longDigits = /\d{7}/;

async function payeesOf(kit: Kit, index: 0 | 1) {
  const { customerId } = await kit.customer(index);
  const payees = await kit.call("listBeneficiaries", customerId);
  return { customerId, ids: payees.map(({ beneficiaryId }) => beneficiaryId) };
}

async function savePayee(kit: Kit, index: 0 | 1): Promise<string> {
  const before = await payeesOf(kit, index);
  const { creditor } = await kit.payment();
  const payee = { creditor: { ...creditor, name: "Kit" }, creditorBic: null, reference: null };
  await kit.call("saveBeneficiary", before.customerId, payee);
  const { ids } = await payeesOf(kit, index);
  const found = ids.find((id) => !before.ids.includes(id));
  expectThat(found !== undefined, "the payee on the list", ids);
  return found;
}

/** K8: whose data. */
export const privacyCases: KitGroup = {
  id: "K8",
  name: "privacy",
  about: "Customers' data",
  cases: [
    row(
      "K8-01",
      "an error about a login does not repeat it",
      ["authenticate"],
      titles,
      async (kit) => {
        const said = await failWith(kit, "authenticate", { login: "kit-probe-7", password: 7 });
        expectThat(!said.includes("kit-probe-7"), "an error without the login", said);
      },
    ),
    row(
      "K8-02",
      "an error about a payment does not repeat the payee",
      ["reserve"],
      titles,
      async (kit) => {
        const payment = await kit.payment();
        const creditor = {
          ...payment.creditor,
          name: "Kit Probe",
          identification: "71717171717171",
        };
        const body = kit.bodyOf("reserve", [[{ ...payment, creditor }]]);
        const [one] = body.payments as object[]; // there is one
        const said = await failWith(kit, "reserve", { payments: [{ ...one, amount: "much" }] });
        const isSilent = !said.includes("Kit Probe") && !said.includes("7171717");
        expectThat(isSilent, "an error without the payee", said);
      },
      ["mayBeSpent"],
    ),
    row(
      "K8-03",
      "an error does not show where in the program it was made",
      ["loadAccount"],
      titles,
      async (kit) => {
        const said = [
          await failWith(kit, "loadAccount", {}),
          await failWith(kit, "loadAccount", { accountId: [] }),
        ].join(" ");
        const trace = /Traceback|\.(?:py|java|kt|go|ts|js):\d+|\bat [\w.]+\(|line \d+, in /;
        expectThat(!trace.test(said), "an error without a stack trace", said.slice(0, 300));
      },
    ),
    row(
      "K8-04",
      "no answer so far has contained a password of bank.json",
      ["authenticate"],
      "Passwords never leave a core.",
      async (kit) => {
        await kit.customer(0);
        await kit.customer(1);
        expectSame([...kit.client.leaks], [], "the operations whose answers had one");
      },
    ),
    row("K8-05", "card numbers are masked", ["listAccounts"], digits, async (kit) => {
      for (const index of [0, 1] as const) {
        const { customerId } = await kit.customer(index);
        for (const { maskedPan } of await kit.call("listAccounts", customerId)) {
          const isMasked =
            maskedPan === null || !longDigits.test(maskedPan.replaceAll(/[ -]/g, ""));
          expectThat(isMasked, "a masked number, such as **** 4417", "seven digits in a row");
        }
      }
    }),
    row(
      "K8-06",
      "the place where a code was sent is masked",
      ["challenge"],
      digits,
      async (kit) => {
        const { customerId } = await kit.customer(0);
        const subject = { act: "login" } as const;
        const request = { subjectHash: subjectHash(subject) };
        const { sentTo = "" } = await kit.call("challenge", customerId, subject, request);
        const plain = sentTo.replaceAll(/[ -]/g, "");
        const isMasked = !longDigits.test(plain) && !/[\w.]{4}@/.test(plain);
        expectThat(isMasked, "words such as: mobile ending 417", sentTo);
      },
    ),
    row(
      "K8-07",
      "a payee is on the list of its own customer only",
      ["listBeneficiaries", "saveBeneficiary", "removeBeneficiary"],
      apart,
      async (kit) => {
        const id = await savePayee(kit, 0);
        const [own, other] = [await payeesOf(kit, 0), await payeesOf(kit, 1)];
        await kit.call("removeBeneficiary", own.customerId, id);
        expectThat(!other.ids.includes(id), "a list without another customer's payee", other.ids);
      },
    ),
    row(
      "K8-08",
      "a customer cannot remove another customer's payee",
      ["listBeneficiaries", "saveBeneficiary", "removeBeneficiary"],
      apart,
      async (kit) => {
        const id = await savePayee(kit, 0);
        const [own, other] = [await payeesOf(kit, 0), await payeesOf(kit, 1)];
        const isDone = await kit.call("removeBeneficiary", other.customerId, id);
        const { ids } = await payeesOf(kit, 0);
        await kit.call("removeBeneficiary", own.customerId, id);
        expectSame(isDone, false, "whether the payee was removed");
        expectThat(ids.includes(id), "the payee still on its list", ids);
      },
    ),
    row(
      "K8-09",
      "a customer cannot trust another customer's payee",
      ["listBeneficiaries", "saveBeneficiary", "trustBeneficiary", "removeBeneficiary"],
      apart,
      async (kit) => {
        const id = await savePayee(kit, 0);
        const [own, other] = [await payeesOf(kit, 0), await payeesOf(kit, 1)];
        const isDone = await kit.call("trustBeneficiary", other.customerId, id, true);
        await kit.call("removeBeneficiary", own.customerId, id);
        expectSame(isDone, false, "whether the payee was marked");
      },
    ),
    row(
      "K8-10",
      "a customer cannot cancel another customer's mandate",
      ["listDirectDebits", "cancelDirectDebit"],
      apart,
      async (kit) => {
        const [one, other] = [await kit.customer(0), await kit.customer(1)];
        const theirs = await kit.call("listDirectDebits", other.customerId);
        const own = (await kit.call("listDirectDebits", one.customerId)).map(
          (m) => m.directDebitId,
        );
        const [mandate] = theirs.filter((m) => m.isActive && !own.includes(m.directDebitId));
        const id = mandate?.directDebitId ?? "no-such-mandate";
        const isDone = await kit.call("cancelDirectDebit", one.customerId, id);
        expectSame(isDone, false, "whether the mandate was cancelled");
      },
    ),
  ],
};
