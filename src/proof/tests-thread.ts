// Runs in a thread of its own, which `test-reader.ts` starts.

import { parentPort } from 'node:worker_threads'
import { errorMessage } from '../util/errors/error-message.js'
import { getOrCreate } from '../util/get-or-create.js'
import { TestFolder } from './served-tests.js'
import type { TestsQuestion, TestsReply } from './test-reader.js'

const FOLDERS = new Map<string, TestFolder>()

parentPort?.on('message', ({ id, ...question }: TestsQuestion & { readonly id: number }) => {
  void answerTo(question).then((answer) => parentPort?.postMessage({ id, ...answer }))
})

async function answerTo({ catalog, folder, prompt }: TestsQuestion): Promise<TestsReply> {
  try {
    const tests = getOrCreate(FOLDERS, folder, () => new TestFolder(catalog, folder))
    return { found: await tests.of(prompt) }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}
