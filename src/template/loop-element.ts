/**
 * The variable that holds the element of the innermost loop, in the text or around the place that includes it, in a
 * dialect that has one; else what the data calls `item`. No Go template can name it.
 */
export const LOOP_ELEMENT = '$<item>'
