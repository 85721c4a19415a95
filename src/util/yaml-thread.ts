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
    return { id, json: stringifyJson(finish(readYaml(text, maxDepth))) }
  } catch (error) {
    const { isTooDeep = false, place } = error instanceof YamlError ? error : {}
    return { id, problem: { message: errorMessage(error), isTooDeep, place } }
  }
}
