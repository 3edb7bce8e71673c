import { inspect } from "node:util";
import { clockBeginning } from "#src/config/clock-beginning.ts";
import { type Config, ConfigError, loadConfig } from "#src/config/config.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { tppRequest } from "#src/sandbox/test-tpp/tpp-shapes.ts";
import type { BankOptions } from "./test-bank.ts";

// A test may be in JavaScript, where nothing but these functions checks what it gives.

const names = ["clock", "rate", "settings", "cache"];
const nameOf = (setting: string): string =>
  ({ CLOCK_START: "clock", CLOCK_RATE: "rate" })[setting] ?? `settings.${setting}`;

/** Returns the settings that the options of `openBank` make. Throws if one is not allowed. */
export function checkedSettings(options: BankOptions): Partial<Config> {
  const { clock, rate, settings } = options;
  const given: Record<string, unknown> = {
    ...(clock === undefined ? {} : { CLOCK_START: clockText(clock) }),
    ...(rate === undefined ? {} : { CLOCK_RATE: rate }),
    ...settings,
  };
  const faults = Object.keys(options)
    .filter((name) => !names.includes(name))
    .map((name) => `${name}: there is no such option; the options are ${names.join(", ")}`);
  try {
    const config = loadConfig({}, given);
    clockBeginning(config);
    if (faults.length === 0) {
      return Object.fromEntries(Object.entries(config).filter(([name]) => name in given));
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults.map((fault) => inOptions(fault, given)));
  }
  throw refused("openBank()", faults);
}

/** The time as the setting has it; another text as it is, so that the setting's rule refuses it. */
function clockText(clock: string | Temporal.Instant): string {
  try {
    return Temporal.Instant.from(clock).toString({ smallestUnit: "millisecond" });
  } catch {
    return String(clock);
  }
}

function inOptions(fault: string, given: Record<string, unknown>): string {
  const [setting = ""] = fault.split(":", 1);
  const why =
    setting === "CLOCK_START"
      ? " must be a date-time with an offset, in this century, such as 2026-11-24T09:00Z"
      : fault.slice(setting.length + 1);
  return `${nameOf(setting)}:${why}; it is ${shown(given[setting])}`;
}

const compiledRequest = compileSchema(tppRequest);

/** Returns the request for a TPP. Throws if a member is not allowed. */
export function checkedTpp(request: TppRequest): TppRequest {
  const faults = judge(compiledRequest, request).map(({ path = "", message }) => {
    const given = (request as Record<string, unknown>)[/^\w*/.exec(path)?.[0] ?? ""];
    return `${path}: ${message} It is ${shown(given)}`;
  });
  if (faults.length > 0) throw refused("bank.tpp()", faults);
  return request;
}

const longestShown = 60;

function shown(value: unknown): string {
  const text = inspect(value, { breakLength: Infinity });
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

const refused = (what: string, faults: readonly string[]): Error =>
  new TypeError([`${what} does not accept this:`, ...faults].join("\n"));
