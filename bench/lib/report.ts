/** Prints a line of measurements: the name, then the values. */
export const show = (name: string, ...values: string[]): void =>
  console.log(`${name.padEnd(44)} ${values.map((value) => value.padStart(14)).join("  ")}`);

/** A measured value and its aim. run.ts receives the verdicts and lists them at the end. */
export type Verdict = { name: string; value: number; unit: string; aim: string };

/** Prints a verdict, and sends it to run.ts if that started this process. */
export function conclude(verdict: Verdict): void {
  console.log(verdictLine(verdict));
  process.send?.(verdict);
}

/** Formats a verdict as one line. */
export const verdictLine = ({ name, value, unit, aim }: Verdict): string =>
  `${name.padEnd(60)} ${shorten(value).padStart(7)} ${unit.padEnd(3)} (${aim})`;

const shorten = (value: number): string => value.toFixed(value < 10 ? 3 : value < 100 ? 1 : 0);

/** Returns the median of values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** Returns the limits of the middle half of values. */
export function middleHalf(values: readonly number[]): [low: number, high: number] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

/** Returns the mean of the middle half of the values, which outliers hardly change. */
export function middleMean(values: readonly number[]): number {
  const [low, high] = middleHalf(values);
  const middle = values.filter((value) => value >= low && value <= high);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** Whether a short run was requested, with less time for each measurement. */
export const isQuick: boolean = process.argv.includes("--quick");
