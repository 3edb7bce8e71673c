import type { HomeSandbox } from "#src/pages/home.ts";
import type { TestCustomer } from "#src/server/opening/load-bank.ts";
import type { ReadyTpp, SandboxOptions } from "#src/server/parts.ts";

/** The contents of a sandbox's home page, with commands that can be pasted. */
export function sandboxHome(
  { publicUrl, world, worlds }: Pick<SandboxOptions, "publicUrl" | "world" | "worlds">,
  personas: readonly TestCustomer[],
  readyTpps: readonly ReadyTpp[],
): HomeSandbox {
  return {
    steps: [
      {
        title: "See the whole journey",
        text: "Makes a payment, from consent to settlement, then reads the account. Shows each step.",
        command: "npm run demo",
      },
      {
        title: "Make your own TPP",
        text: "Makes keys, certificates and a curl configuration, and registers the TPP.",
        command: "./aldgate tpp create --out my-tpp",
      },
      {
        title: "Look around with plain curl",
        text: "Lists the customers and their accounts. docs/first-calls.md shows how to pay by hand.",
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
    ...(world ? { worlds: { url: world.controlsUrl, own: world.name } } : {}),
    ...(worlds ? { worlds: { url: "/worlds", own: null } } : {}),
  };
}
