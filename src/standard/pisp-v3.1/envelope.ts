import { links } from "#src/standard/shared/envelope.ts";
import { open } from "#src/standard/shared/schema.ts";

/** `Links` and `Meta` of a response. */
export const envelope = {
  Links: open(links.properties, { title: "Links" }),
  Meta: open({}, { title: "Meta" }),
};
