/** A line of figures: name, then what was measured. */
export const show = (name: string, ...values: string[]): void =>
  console.log(`${name.padEnd(44)} ${values.map((value) => value.padStart(14)).join("  ")}`);

/** A measured ratio or size and what it was to be; told to run.ts, which lists them at the end. */
export type Verdict = { name: string; value: number; unit: string; aim: string };

/** Prints a verdict, and passes it on when there is somebody to pass it to. */
export function conclude(verdict: Verdict): void {
  console.log(verdictLine(verdict));
  process.send?.(verdict);
}

/** One line for a verdict. */
export const verdictLine = ({ name, value, unit, aim }: Verdict): string =>
  `${name.padEnd(60)} ${value.toFixed(value < 10 ? 3 : 0).padStart(7)} ${unit.padEnd(3)} (${aim})`;

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** Whether a short run was asked for: less time for each measurement. */
export const isQuick: boolean = process.argv.includes("--quick");
