import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { frequencyPattern } from "#src/standard/shared/v3/frequency-pattern.ts";
import { codedFrequency, type Frequency } from "#src/standard/shared/v4/frequency.ts";

/**
 * A rhythm in the words of Account Information v4.0. A rhythm without a code is shown as v3.1
 * writes it. Source: E-049, E-050.
 */
export const frequencyOf = (rhythm: Rhythm): Frequency =>
  codedFrequency(rhythm) ?? { Type: frequencyPattern(rhythm) };
