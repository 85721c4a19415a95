/** An output as the inside of a JSON string. */
export interface JsonText {
  readonly text: string
  /** True if the text is known to be ASCII: it has as many bytes as characters. False says nothing. */
  readonly isAscii: boolean
}
