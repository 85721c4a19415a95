import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DocumentPath } from '../../registry/document-path.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import type { FileReport } from './file-report.js'
import type { TestTarget } from './test-file.js'

/** An id of the catalog, with a version or a label. Anything else is a text. */
const ID = /^[\w-]+(?:\.[\w-]+)+(?:@[\w.-]+)?$/
const FILE = 'file://'

/** What `prompt` and `prompts` name: ids of the catalog, texts, and `file://` texts. */
export function readPrompts(
  object: JsonObject,
  path: DocumentPath,
  report: FileReport,
): readonly TestTarget[] {
  return (['prompt', 'prompts'] as const).flatMap((name) => {
    const written = own(object, name)
    if (written === undefined) return []
    const list: readonly JsonValue[] = Array.isArray(written) ? written : [written]
    return list.flatMap((each, index) =>
      readPrompt(each, Array.isArray(written) ? [...path, name, index] : [...path, name], report),
    )
  })
}

function readPrompt(written: JsonValue, path: DocumentPath, report: FileReport): readonly TestTarget[] {
  const text = isJsonObject(written) ? (textField(written, 'raw') ?? textField(written, 'id')) : written
  if (typeof text !== 'string') {
    report.problem(path, 'a prompt must be an id of the catalog, a text or file://<path>')
    return []
  }
  if (ID.test(text)) return [{ kind: 'id', id: text }]
  const label = isJsonObject(written) ? textField(written, 'label') : undefined
  if (!text.startsWith(FILE)) return [{ kind: 'text', text, label: label ?? firstLine(text) }]
  return readPromptFile(text.slice(FILE.length), label, path, report)
}

function readPromptFile(
  name: string,
  label: string | undefined,
  path: DocumentPath,
  report: FileReport,
): readonly TestTarget[] {
  if (!/\.(?:txt|md|json)$/.test(name)) {
    report.problem(path, `${FILE}${name}: prompts are read from .txt, .md and .json files`, {
      isUnknown: true,
    })
    return []
  }
  try {
    const text = readFileSync(resolve(report.folder, name), 'utf8').trim()
    return [{ kind: 'text', text, label: label ?? name }]
  } catch (error) {
    report.problem(path, `${FILE}${name}: ${errorMessage(error)}`)
    return []
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.slice(0, 40)
}
