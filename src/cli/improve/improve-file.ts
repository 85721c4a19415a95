import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Score } from '../../proof/improve/candidate.js'
import type { TaskStorage } from '../../tasks/task-storage.js'
import { errorCode, errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, own, parseJson, stringifyJson } from '../../util/json/json.js'
import { jsonObject, listField, numberField, objectField, textField } from '../../util/json/json-fields.js'
import { UsageError } from '../command.js'

/** A body that was tested. */
export interface Candidate {
  readonly digest: string
  readonly body: JsonObject
  readonly train: Score
  /** Once it was chosen to be tried with them. */
  readonly heldOut?: Score
}

/**
 * What is known of an improvement, in a file: the task, candidates with their results, and the tokens of answers. A
 * process that dies loses nothing that was paid for.
 */
export class ImproveFile {
  readonly #path: string
  readonly #key: string
  #task: JsonObject | undefined
  #candidates: readonly Candidate[]
  #answerTokens: number
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, key: string, kept: JsonObject) {
    const task = own(kept, 'task')
    this.#path = path
    this.#key = key
    this.#task = isJsonObject(task) ? task : undefined
    this.#candidates = listField(kept, 'candidates').filter(isJsonObject).map(readCandidate)
    this.#answerTokens = numberField(kept, 'answer_tokens') ?? 0
  }

  /** @param key names prompt and tests. @throws UsageError for a file of something else */
  static async open(path: string, key: string): Promise<ImproveFile> {
    const kept = await readKept(path)
    if (kept !== undefined && textField(kept, 'key') !== key)
      throw new UsageError(
        `${path} belongs to another prompt, or the prompt or its tests changed since: remove it, or name another --state`,
      )
    return new ImproveFile(path, key, kept ?? {})
  }

  get storage(): TaskStorage {
    return {
      read: async () => this.#task,
      write: (task) => {
        this.#task = task
        return this.#write()
      },
    }
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates
  }

  /** Tokens that models used to answer tests. */
  get answerTokens(): number {
    return this.#answerTokens
  }

  find(digest: string): Candidate | undefined {
    return this.#candidates.find((each) => each.digest === digest)
  }

  /** Adds a candidate, or what became known of one. */
  keep(candidate: Candidate): Promise<void> {
    const isKnown = this.find(candidate.digest) !== undefined
    this.#candidates = isKnown
      ? this.#candidates.map((each) => (each.digest === candidate.digest ? candidate : each))
      : [...this.#candidates, candidate]
    return this.#write()
  }

  /** Durable with the next entry. */
  spend(tokens: number): void {
    this.#answerTokens += tokens
  }

  /** Written beside it and renamed: nobody reads half of it. */
  #write(): Promise<void> {
    const kept = jsonObject({
      key: this.#key,
      ...(this.#task !== undefined && { task: this.#task }),
      candidates: this.#candidates,
      answer_tokens: this.#answerTokens,
    })
    const text = `${stringifyJson(kept, 2)}\n`
    this.#writing = this.#writing.then(async () => {
      await writeFile(`${this.#path}.draft`, text)
      await rename(`${this.#path}.draft`, this.#path)
    })
    return this.#writing
  }
}

/** @throws UsageError for a file that is something else */
async function readKept(path: string): Promise<JsonObject | undefined> {
  try {
    const value = parseJson(await readFile(path, 'utf8'))
    if (isJsonObject(value)) return value
    throw new UsageError(`${path} is not a file that improve wrote`)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new UsageError(`${path} cannot be read: ${errorMessage(error)}`)
  }
}

function readCandidate(kept: JsonObject): Candidate {
  const heldOut = own(kept, 'heldOut')
  return {
    digest: textField(kept, 'digest') ?? '',
    body: objectField(kept, 'body'),
    train: readScore(objectField(kept, 'train')),
    ...(isJsonObject(heldOut) && { heldOut: readScore(heldOut) }),
  }
}

function readScore(kept: JsonObject): Score {
  const count = (name: string) => numberField(kept, name) ?? 0
  return {
    passed: count('passed'),
    total: count('total'),
    tokens: count('tokens'),
    failed: listField(kept, 'failed')
      .filter(isJsonObject)
      .map((each) => ({
        test: textField(each, 'test') ?? '',
        variables: objectField(each, 'variables'),
        reasons: listField(each, 'reasons').map(String),
      })),
  }
}
