import type { Bank } from "#src/bank/port.ts";
import type { ServedCore } from "#src/connector/serve-core.ts";

/** The calls of a core that attaches data to consents, and checks what comes back. */
export function attaching(bank: Bank) {
  const dataOf = (consentId: string): string => `kit:${consentId}`;
  const check = (consentId: string, found: string | undefined): void => {
    if (found !== undefined && found !== dataOf(consentId)) throw new Error("other data");
  };
  return {
    ...bank,
    attachesData: true,
    async assess({ consentId, attachedData }) {
      check(consentId, attachedData);
      return { result: "allow", attachedData: dataOf(consentId) };
    },
    async assessOrder({ consentId, attachedData }) {
      check(consentId, attachedData);
      return { result: "allow" };
    },
    async tell(notices) {
      for (const { consentId, attachedData } of notices) check(consentId, attachedData);
    },
  } satisfies Bank;
}

/** A core that does so. */
export const attachingCore = (core: ServedCore): ServedCore => ({
  ...core,
  bank: attaching(core.bank),
});
