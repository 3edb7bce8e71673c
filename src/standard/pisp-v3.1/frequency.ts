import Type from "typebox";
import { v3FrequencyPattern } from "#src/standard/shared/v4/frequency.ts";

/**
 * How often a standing order pays, such as `IntrvlMnthDay:01:03`. A new order must have a known
 * frequency. Source: OBWriteDomesticStandingOrder3: v3.1.11.
 */
export const frequency = Type.String({ pattern: v3FrequencyPattern.replace("^(NotKnown)$|", "") });
