// The module for BANK_MODULE in these tests: a bank's own core, called over HTTP. Like a real
// bank's module, it imports only types from the product and has its own copy of the error class.
import { Agent, request } from "node:http";
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import { codeOf, secondCustomers } from "./customers.ts";
import { shownFacts } from "./shown-facts.ts";
import { decode, encode } from "./wire.ts";

class BankError extends Error {
  readonly outcome: string;
  constructor(outcome: string, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

const agent = new Agent({ keepAlive: true });

function post(url: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The customers that a sandbox may log in. */
export const testCustomers = secondCustomers;

/** Returns the code of a challenge, so that a sandbox can answer it. */
export const testCode = async (challengeId: string): Promise<string> => codeOf(challengeId);

/** Returns the function that makes the calls of the port to the process with this URL. */
export const callAt =
  (url: string | undefined) =>
  (name: string) =>
  async (...given: unknown[]): Promise<unknown> => {
    const { status, text } = await post(`${url}/call/${name}`, encode(given));
    if (status === 200) return decode(text);
    const { outcome } = JSON.parse(text) as { outcome: string | null };
    if (outcome === null) throw new Error(`the core answered ${name} with ${status}`);
    throw new BankError(outcome, `the core answered ${name} with ${status}`);
  };

/** Creates the core, which calls the process at SECOND_BANK_URL. */
export async function createBank({ feed }: BankContext): Promise<Bank> {
  await feed.apply(shownFacts);
  const call = callAt(process.env.SECOND_BANK_URL);
  const functions = names.map((name) => [name, call(name)]);
  const close = call("close");
  return { ...Object.fromEntries(functions), close, chargesOf, exchangeCurrencies: ["GBP"] };
}

// this bank's tariff: £3.50 for a CHAPS payment
const chargesOf: Bank["chargesOf"] = ({ localInstrument }) =>
  localInstrument === "UK.OBIE.CHAPS"
    ? [
        {
          chargeBearer: "BorneByDebtor",
          type: "GB.Second.CHAPS",
          amount: { amountMinor: 350n, currency: "GBP" },
        },
      ]
    : [];

const names = [
  "authenticate",
  "challenge",
  "verify",
  "loadCustomer",
  "listAccounts",
  "loadAccount",
  "findAccount",
  "loadFunds",
  "listBeneficiaries",
  "saveBeneficiary",
  "trustBeneficiary",
  "removeBeneficiary",
  "listDirectDebits",
  "cancelDirectDebit",
  "confirmFunds",
  "quoteRate",
  "loadContract",
  "price",
  "reserve",
  "execute",
  "ask",
  "release",
  "listPayments",
  "listSignatories",
  "loadStatementDocument",
] as const satisfies (keyof Bank)[];
