// Runs in a thread of its own, which `yaml-reader.ts` starts.
import { parentPort } from 'node:worker_threads'
import { errorMessage } from './error-message.js'
import { stringifyJson } from './json.js'
import { readYaml, YamlError } from './read-yaml.js'
import { finish } from './sort-in-pieces.js'
import type { YamlAnswer, YamlQuestion } from './yaml-reader.js'

parentPort?.on('message', (question: YamlQuestion) => parentPort?.postMessage(answerTo(question)))

function answerTo({ id, text, maxDepth }: YamlQuestion): YamlAnswer {
  try {
    const { value, notes } = finish(readYaml(text, maxDepth))
    return { id, json: stringifyJson(value), notes }
  } catch (error) {
    const { isTooDeep = false, place, hint } = error instanceof YamlError ? error : {}
    return { id, problem: { message: errorMessage(error), isTooDeep, place, hint } }
  }
}
