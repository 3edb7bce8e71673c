import { shownCommands } from "#src/config/shown-commands.ts";
import type { HomeSandbox } from "#src/pages/home.ts";
import { customersPath, tppsPath } from "#src/pages/people.ts";
import { judgePath, requestsPath } from "#src/pages/requests.ts";
import { robustPath } from "#src/pages/robust.ts";
import type { TestCustomer } from "#src/server/opening/bank-context.ts";
import type { ReadyTpp, SandboxOptions } from "#src/server/parts.ts";

/** The contents of a sandbox's home page, with commands that can be pasted. */
export function sandboxHome(
  {
    publicUrl,
    config,
    world,
    worlds,
  }: Pick<SandboxOptions, "publicUrl" | "config" | "world" | "worlds">,
  personas: readonly TestCustomer[],
  readyTpps: readonly ReadyTpp[],
): HomeSandbox {
  const here = shownCommands(config);
  return {
    steps: [
      {
        title: "See the whole journey",
        text:
          "Makes a payment, from consent to settlement, then reads the account, if the bank offers " +
          "both. Shows each step.",
        command: here("npm run demo"),
      },
      {
        title: "Make your own TPP",
        text: "Makes keys, certificates and a curl configuration, and registers the TPP.",
        command: here("./aldgate tpp create --out my-tpp"),
      },
      {
        title: "Look around with plain curl",
        text: "Lists the customers and their accounts. docs/first-calls.md shows how to pay by hand.",
        command: `curl ${publicUrl}/sandbox/v1/customers`,
      },
      {
        title: "Ask why a request was rejected",
        text: "Shows what was sent, each check, and the answer. The page Requests shows the same.",
        command: here("./aldgate logs --follow --status 4xx"),
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
    pages: [
      { url: customersPath, text: "Customers" },
      { url: tppsPath, text: "TPPs" },
      { url: "/docs/scenarios", text: "Scenarios" },
      { url: robustPath, text: "Is my client robust?" },
      ...(config.REQUEST_LOG_ENTRIES > 0 ? [{ url: requestsPath, text: "Requests" }] : []),
      { url: judgePath, text: "Judge a message" },
    ],
    ...(world ? { worlds: { url: world.controlsUrl, own: world.name } } : {}),
    ...(worlds ? { worlds: { url: "/worlds", own: null } } : {}),
  };
}
