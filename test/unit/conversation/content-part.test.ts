import { describe, expect, it } from 'vitest'
import {
  assertCompletePart,
  audioPart,
  filePart,
  findPartProblem,
  imagePart,
  textPart,
} from '../../../src/conversation/content-part.js'

const accepted: readonly (readonly [name: string, part: unknown])[] = [
  ['text', textPart('')],
  ['an image', imagePart('https://example.org/a.png')],
  ['an image with detail', imagePart('data:image/png;base64,AAAA', 'low')],
  ['audio', audioPart('AAAA', 'wav')],
  ['a file by id', filePart({ file_id: 'file-1' })],
  ['an inline file', filePart({ file_data: 'AAAA', filename: 'a.pdf' })],
  ['a refusal', { type: 'refusal', refusal: 'no' }],
  ['fields beside the known ones', { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
]

const rejected: readonly (readonly [part: unknown, problem: string])[] = [
  ['text', 'a content part must be an object'],
  [null, 'a content part must be an object'],
  [['text'], 'a content part must be an object'],
  [{}, 'a content part needs a `type`'],
  [{ type: 7 }, 'a content part needs a `type`'],
  [
    { type: 'video', url: 'x' },
    'unknown content part type "video"; known are text, image_url, input_audio, file, refusal',
  ],
  [
    { type: 'constructor' },
    'unknown content part type "constructor"; known are text, image_url, input_audio, file, refusal',
  ],
  [{ type: 'text' }, 'a part of type "text" needs the text `text`'],
  [{ type: 'text', text: 1 }, 'a part of type "text" needs the text `text`'],
  [{ type: 'image_url', image_url: 'x' }, 'a part of type "image_url" needs the text `image_url.url`'],
  [
    { type: 'input_audio', input_audio: { data: 'x' } },
    'a part of type "input_audio" needs the text `input_audio.format`',
  ],
  [{ type: 'file', file: {} }, 'a part of type "file" needs the text `file.file_id` or `file.file_data`'],
  [{ type: 'refusal' }, 'a part of type "refusal" needs the text `refusal`'],
]

describe('content parts', () => {
  it.each(accepted)('%s passes', (_name, part) => {
    expect(findPartProblem(part)).toBeUndefined()
    expect(() => assertCompletePart(part)).not.toThrow()
  })

  it.each(rejected)('%j is rejected', (part, problem) => {
    expect(findPartProblem(part)).toBe(problem)
    expect(() => assertCompletePart(part)).toThrow(problem)
  })
})
