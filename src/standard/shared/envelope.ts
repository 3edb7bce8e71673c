import Type from "typebox";
import { closed, dateTime } from "./schema.ts";

const url = Type.String({ format: "uri" });

/** Absolute URLs around a response; every one of ours has `Self`. */
export const links = closed(
  {
    Self: url,
    First: Type.Optional(url),
    Prev: Type.Optional(url),
    Next: Type.Optional(url),
    Last: Type.Optional(url),
  },
  { title: "Links" },
);

/** Facts about a response besides its data; `{}` if there are none. */
const meta = closed(
  {
    TotalPages: Type.Optional(Type.Integer({ format: "int32" })),
    FirstAvailableDateTime: Type.Optional(dateTime()),
    LastAvailableDateTime: Type.Optional(dateTime()),
  },
  { title: "Meta" },
);

/** The members that are beside `Data` in every response. Source: D-401-05. */
export const envelope = { Links: Type.Optional(links), Meta: Type.Optional(meta) };

/** `ConsentId`, in both APIs. */
export const consentId = Type.String({ minLength: 1, maxLength: 128 });
