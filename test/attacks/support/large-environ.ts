const LINE_BYTES = 50

/** The JSON of an object of about this many bytes, in lines as people write them. */
export function largeEnviron(bytes: number): string {
  const lines = Array.from(
    { length: Math.floor(bytes / LINE_BYTES) },
    (_, index) => `"name ${index}":${index}`,
  )
  return `{${lines.join(',\n                  ')}}`
}
