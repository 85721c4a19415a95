import { ServiceError } from '../errors.js'
import { isJsonObject, own } from '../util/json/json.js'
import { valueAt } from '../util/json/json-path.js'
import type { ContentPart, FilePart } from './message.js'

/** Makes a text part. */
export function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

/** Makes an image part from an `https:` or `data:` url. */
export function imagePart(url: string, detail?: 'auto' | 'low' | 'high'): ContentPart {
  return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
}

/** Makes an audio part from base64 text; `format` is `wav`, `mp3`, … */
export function audioPart(data: string, format: string): ContentPart {
  return { type: 'input_audio', input_audio: { data, format } }
}

/** Makes a file part from an uploaded file's id, or from base64 text and a name. */
export function filePart(file: FilePart['file']): ContentPart {
  return { type: 'file', file }
}

/** For every known type: the dotted paths of which at least one must hold a string, group by group. */
const REQUIRED_TEXTS: Readonly<Record<ContentPart['type'], readonly (readonly string[])[]>> = {
  text: [['text']],
  image_url: [['image_url.url']],
  input_audio: [['input_audio.data'], ['input_audio.format']],
  file: [['file.file_id', 'file.file_data']],
  refusal: [['refusal']],
}

/** What is wrong with a content part, or undefined when it is one of OpenAI's and complete. */
export function findPartProblem(part: unknown): string | undefined {
  if (!isJsonObject(part)) return 'a content part must be an object'
  const type = own(part, 'type')
  if (typeof type !== 'string') return 'a content part needs a `type`'
  if (!isPartType(type)) {
    return `unknown content part type "${type}"; known are ${Object.keys(REQUIRED_TEXTS).join(', ')}`
  }
  const missing = REQUIRED_TEXTS[type].find(
    (paths) => !paths.some((path) => typeof valueAt(part, path.split('.')) === 'string'),
  )
  return missing && `a part of type "${type}" needs the text \`${missing.join('` or `')}\``
}

function isPartType(name: string): name is ContentPart['type'] {
  return Object.hasOwn(REQUIRED_TEXTS, name)
}

/** True for a complete part of a known type. */
export function isContentPart(part: unknown): part is ContentPart {
  return findPartProblem(part) === undefined
}

/** @throws ServiceError `invalid_sequence` for anything but a complete part of a known type. */
export function assertCompletePart(part: unknown): asserts part is ContentPart {
  const problem = findPartProblem(part)
  if (problem !== undefined)
    throw new ServiceError('invalid_sequence', problem, { details: [{ index: null, reason: problem }] })
}
