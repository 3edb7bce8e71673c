import { links } from "#src/standard/shared/envelope.ts";
import { open } from "#src/standard/shared/schema.ts";

/**
 * `Links` and `Meta` of responses about variable recurring payments, whose published file has other
 * schemas of these names.
 */
export const envelope = {
  Links: open(links.properties, { title: "LinksVrp" }),
  Meta: open({}, { title: "MetaVrp" }),
};
