// Runs in a thread of its own, which `yaml-reader.ts` starts.

import { parentPort } from 'node:worker_threads'
import { errorMessage } from '../errors/error-message.js'
import { stringifyJson } from '../json/json.js'
import { runNow } from '../slices/sliced.js'
import { readYaml, YamlError } from './read-yaml.js'
import type { YamlAnswer, YamlQuestion } from './yaml-reader.js'

parentPort?.on('message', ({ id, ...question }: YamlQuestion & { readonly id: number }) =>
  parentPort?.postMessage({ id, ...answerTo(question) }),
)

function answerTo({ text, maxDepth, maxAliases }: YamlQuestion): YamlAnswer {
  try {
    const { value, notes } = runNow(readYaml(text, maxDepth, { maxAliases }))
    return { json: stringifyJson(value), notes }
  } catch (error) {
    const { isTooDeep = false, place, hint } = error instanceof YamlError ? error : {}
    return { problem: { message: errorMessage(error), isTooDeep, place, hint } }
  }
}
