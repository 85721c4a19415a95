/** `template: review.broken:3: ` or `template: inline/messages[0].content:1:7: `, as Go says it. */
const PLACE_IN_TEMPLATE = /^template: [^\s]+?:\d+(?::\d+)?: /
/** Of a hint: the line inside of the template. */
const LINE_IN_TEMPLATE = / of line \d+(?= has no )/

/**
 * A message without the place that it names: where the place in the document is said beside it, a line of the template would be
 * a second number for one mistake.
 */
export function placeFree(message: string): string {
  return message.replace(PLACE_IN_TEMPLATE, '').replace(LINE_IN_TEMPLATE, '')
}
