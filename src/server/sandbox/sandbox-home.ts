import type { HomeSandbox } from "#src/pages/home.ts";
import type { TestCustomer } from "#src/server/opening/load-bank.ts";
import type { ReadyTpp, SandboxOptions } from "#src/server/parts.ts";

/** The contents of a sandbox's home page, with commands that can be pasted. */
export function sandboxHome(
  { publicUrl }: Pick<SandboxOptions, "publicUrl">,
  personas: readonly TestCustomer[],
  readyTpps: readonly ReadyTpp[],
): HomeSandbox {
  return {
    steps: [
      {
        title: "See the whole journey",
        text: "A payment from consent to settlement, then the account read back, step by step.",
        command: "npm run demo",
      },
      {
        title: "Make your own TPP",
        text: "Keys, certificates and a curl configuration, registered and ready.",
        command: "./aldgate tpp create --out my-tpp",
      },
      {
        title: "Look around with plain curl",
        text: "The customers and their accounts. The README shows a consent and a payment by hand.",
        command: `curl ${publicUrl}/sandbox/v1/customers`,
      },
    ],
    tpps: readyTpps.map(({ name, about, folder, tpp }) => ({
      name,
      clientId: tpp.clientId,
      about: `${about} Keys in ${folder}`,
    })),
    personas: personas.map(({ name, description, login, password }) => ({
      name,
      about: description,
      login,
      password,
    })),
    scenarios: true,
  };
}
