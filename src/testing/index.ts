// What a test of another program imports, as `aldgate/testing` (docs/testing.md).
import { loadConsent } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { accessKinds } from "#src/server/opening/access-kinds.ts";
import { ArchivedFiles } from "#src/storage/archived-files.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { checkedSettings, checkedTpp } from "./checked-options.ts";
import { dataOf, type Identified } from "./identified.ts";
import { type OpenedBank, openOn, usualTpp } from "./opened-bank.ts";
import { untilSettled } from "./settled.ts";
import { findTemplate, keysInTurn } from "./template.ts";
import type { BankClock, BankOptions, TestBank } from "./test-bank.ts";
import { createTestTpp, type TestTpp } from "./test-tpp.ts";

export type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
export type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
export type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
export type { AuthorizationRequest } from "#src/sandbox/test-tpp/authorization-flow.ts";
export type { HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
export type { Answer, Call, Tokens } from "#src/sandbox/test-tpp/tpp-client.ts";
export type { Identified } from "./identified.ts";
export type { BankClock, BankOptions, SettledOrder, TestBank } from "./test-bank.ts";
export type { TestTpp } from "./test-tpp.ts";

// banks of one process begin with different keys
let opened = Math.floor(Math.random() * 1000);
const keysOfBank = 9;

/**
 * Opens a bank for tests, with a database, clock, certificates and ports of its own. Any number can
 * be open at the same time. The first bank of a version and day takes some seconds, because its
 * history is made; it is kept in the user's folder for caches.
 */
export async function openBank(options: BankOptions = {}): Promise<TestBank> {
  const settings = checkedSettings(options);
  const { CLOCK_START: start } = settings;
  const begin = start === undefined ? systemClock.now() : Temporal.Instant.from(start);
  const day = begin.toZonedDateTimeISO("UTC").toPlainDate();
  const { archive, keys } = await findTemplate(day, options.cache);
  const bank = await openOn({
    database: await openPglite({ files: new ArchivedFiles(archive) }),
    generateKey: keysInTurn(keys, keysOfBank * opened++),
    settings,
  });
  return publicBank(bank);
}

function publicBank(bank: OpenedBank): TestBank {
  const { publicUrl, mtlsUrl, control, customers, decide, close } = bank;
  const { caPem } = present(bank.sandbox, "the sandbox").directory;
  const tpps = new Map<string, TestTpp>();
  return {
    publicUrl,
    mtlsUrl,
    caPem,
    clock: clockOf(bank),
    async tpp(request) {
      bank.assertOpen();
      const wanted = checkedTpp({ ...usualTpp, ...request });
      const tpp = createTestTpp(await bank.createTpp(wanted));
      tpps.set(tpp.clientId, tpp);
      return tpp;
    },
    customers,
    async approve(given, customer, { accounts } = {}) {
      bank.assertOpen();
      const consent = await findConsent(bank, given);
      const tpp = tpps.get(consent.clientId);
      if (!tpp) {
        throw new Error(
          `${consent.consentId} belongs to the client ${consent.clientId}, which bank.tpp() has not ` +
            "made. Give its authorization URL to bank.decide().",
        );
      }
      const { redirectUrl, note } = await decide({
        authorizationUrl: await tpp.authorizationUrl(consent),
        customer,
        decision: "approve",
        ...(accounts ? { accounts } : {}),
      });
      if (note !== undefined) throw new Error(note);
      return tpp.exchange(redirectUrl);
    },
    decide,
    async settled(order) {
      bank.assertOpen();
      return untilSettled(bank, order);
    },
    control,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const clockOf = ({ clock, control }: OpenedBank): BankClock => ({
  now: () => clock.now(),
  async advance(by) {
    const isTime = by instanceof Temporal.Instant;
    await control("PUT", "/clock", isTime ? { now: String(by) } : { advance: String(by) });
  },
  setRate: async (rate) => void (await control("PUT", "/clock", { rate })),
});

async function findConsent({ database }: OpenedBank, given: Identified) {
  const id = typeof given === "string" ? given : textOf(dataOf(given, "a consent").ConsentId ?? "");
  const consent = await loadConsent(database, id);
  if (!consent) throw new Error(`There is no consent ${id}.`);
  const { consentId, clientId, kind } = consent;
  const scope = accessKinds.find((one) => one.id === kind)?.scope ?? "payments";
  return { consentId, clientId, scope } as const;
}
