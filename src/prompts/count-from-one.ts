import { TemplateError } from '../template/host.js'

/** The place in Go's message of a failed render, whose column counts bytes from 0. */
const GO_PLACE = /^(template: [^\n]+?:\d+:)\d+(?=: executing ")/

/** A failure as the service reports it: the column in its message is counted as `column` is, from 1 in UTF-16 code units. */
export function countFromOne(error: unknown): unknown {
  if (!(error instanceof TemplateError) || error.stage !== 'exec') return error
  const message = error.message.replace(GO_PLACE, (_, before: string) => before + error.column)
  return message === error.message ? error : error.with({ message })
}
