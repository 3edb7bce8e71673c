import { type Command, rowOf, UsageError } from "./command.ts";
import { readOptions, textOf } from "./options.ts";
import { type ClockChange, sandboxOf } from "./sandbox-client.ts";

const changes: Record<string, (value: string) => ClockChange> = {
  set: (now) => ({ now }),
  advance: (advance) => ({ advance }),
  rate: (rate) => ({ rate: Number(rate) }),
};

/** `./aldgate clock` */
export const command: Command = {
  name: "clock",
  summary: "shows the time of the running sandbox, sets it forward, or changes its rate",
  usage: [
    "  ./aldgate clock                     shows the bank's time and the rate of its clock",
    "  ./aldgate clock set TIME            sets it forward to a time, such as 2027-03-01T09:00Z",
    "  ./aldgate clock advance DURATION    sets it forward by a duration: PT1H, P40D, P1M",
    "  ./aldgate clock rate N              0 stops it, 1 is normal, 60 runs a minute per second",
    "      --world NAME     the clock of a world",
    "The bank does everything that falls due before the new time, in order. The clock never goes back.",
  ].join("\n"),
  json: { "": ["now", "rate"] },
  next: [
    ["verify", "checks the ledger after everything that has fallen due"],
    ["worlds open --clock TIME", "opens a bank with a clock of its own"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { world: { type: "string" } });
    const [word, value, ...more] = rest;
    const change =
      word === undefined ? null : rowOf(changes, word, `Unknown command "clock ${word}".`);
    if ((change !== null && value === undefined) || more.length > 0)
      throw new UsageError(`clock ${word} needs one value.`);
    if (word === "rate" && !/^\d+$/.test(value ?? ""))
      throw new UsageError("The rate must be a whole number of 0 or more.");
    const { clock } = await sandboxOf(cli, textOf(values.world));
    const { now, rate } = await (change === null
      ? clock.read()
      : clock.change(change(value ?? "")));
    return { lines: [`${now}  rate ${rate}`], json: { now, rate } };
  },
};
