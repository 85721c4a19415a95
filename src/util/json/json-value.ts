/** A JSON value as the service holds it: integers beyond 2^53 are bigint, so that their digits survive. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject

/** A JSON object. Read it with own-property access only: any name, also `__proto__`, is plain data. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}
