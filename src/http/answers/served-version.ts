import type { FoundPrompt, ServedVersion } from '../../prompts/find-prompt.js'

/** What the log line of a request says of the version that served it. */
export function servedFields({ prompt, served }: FoundPrompt): Readonly<Record<string, unknown>> {
  return { prompt: prompt.id, version: served?.number, label: served?.label, bucket: served?.bucket }
}

/** The headers of an answer that a version served: names and values in turn. */
export function servedHeaders({ number, label, bucket }: ServedVersion): readonly string[] {
  const headers = ['x-prompt-version', String(number)]
  if (label !== undefined) headers.push('x-prompt-label', label)
  if (bucket !== undefined) headers.push('x-prompt-bucket', String(bucket))
  return headers
}
