/** Texts of about this many bytes are as large as a body may be. */
export const MEGABYTES = 3_800_000

/** A body that renders the table's prompt with this JSON as the name. */
export function withName(name: string): string {
  return `{"variables":{"name":${name}}}`
}

/** The text of a list that repeats one item. */
export function list(item: string, count: number): string {
  return `[${`${item},`.repeat(count - 1)}${item}]`
}

/** The text of an object of this many different names. */
export function names(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`
}

/** As large as a body may be, and then this. */
export function filled(rest: string): string {
  return `{"variables":{"name":1,"filler":"${'x'.repeat(MEGABYTES)}"${rest}}}`
}
