import Type, { type TSchema } from "typebox";

/** A schema that also allows null. */
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** An id of a path's parameter. An invalid id is treated as an unknown one: it becomes empty. */
export const knownId = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? id : "");
