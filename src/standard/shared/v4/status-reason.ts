import Type from "typebox";
import type { ShownReason } from "#src/standard/api-version.ts";
import { open, text } from "#src/standard/shared/schema.ts";

const longest = 500;

/** Why a consent has its status: an array, even of one reason. Source: OBStatusReason, E-016. */
export const statusReasons = Type.Array(
  open(
    {
      StatusReasonCode: Type.Optional(text(4)),
      StatusReasonDescription: Type.Optional(text(longest)),
      Path: Type.Optional(text(500)),
    },
    { title: "OBStatusReason" },
  ),
);

/**
 * Renders an item of `StatusReason`. A text that is longer than the schema allows, as the text of a
 * bank's core may be, is cut. Source: OBStatusReason.
 */
export const renderStatusReason = ({ code, text: description, path }: ShownReason): object => ({
  ...(code === undefined ? {} : { StatusReasonCode: code }),
  StatusReasonDescription: description.slice(0, longest),
  ...(path === undefined ? {} : { Path: path }),
});
