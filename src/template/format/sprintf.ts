import type { Value } from '../value.js'
import { printFormat } from './print-format.js'
import { GO_PRINTING, type Printing } from './printing.js'
import { readFormat } from './read-format.js'

/** fmt.Sprintf. @throws LimitError if a width or precision exceeds the limit */
export function sprintf(format: string, values: readonly Value[], printing: Printing = GO_PRINTING): string {
  return printFormat(readFormat(format), values, printing)
}
