import { readFileSync } from 'node:fs'
import { openState } from '../open-state.js'
import {
  RECORDED,
  type RecordedCall,
  readRecordedCalls,
  VariableRecorder,
} from '../prompts/recorded-variables.js'
import type { ImpactSet } from '../proof/impact.js'
import { exampleSets, readTestSets } from '../proof/impact-sets.js'
import type { PromptEntry } from '../registry/snapshot.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../util/json/json.js'
import { listField, objectField, textField } from '../util/json/json-fields.js'
import { silentLogger } from '../util/telemetry/logger.js'
import { loadCatalogConfig } from './catalog-source.js'
import { type CliContext, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'
import { ServerConnection } from './server-connection.js'
import { serverOption } from './server-option.js'

/** Variables that commands render prompts with, wherever they come from. */
export interface VariableSets {
  of(id: string, prompt: PromptEntry | undefined): Promise<readonly ImpactSet[]>
  close(): Promise<void>
}

/**
 * Opens what renders can be tried with: variables that a service recorded, those of `--vars`, the examples of prompts,
 * and tests.
 *
 * @param tests files with tests
 * @throws UsageError, Error
 */
export async function openVariableSets(
  values: OptionValues,
  context: CliContext,
  tests: readonly string[],
): Promise<VariableSets> {
  const last = lastOf(values)
  const given = givenSets(textOption(values, 'vars'))
  const ofTests = readTestSets(tests)
  const recorded = await openRecorded(values, context, last)
  return {
    of: async (id, prompt) => [
      ...(await recorded.read(id)),
      ...given,
      ...(prompt === undefined ? [] : [...exampleSets(prompt), ...ofTests(prompt)]),
    ],
    close: recorded.close,
  }
}

interface Recorded {
  read(id: string): Promise<readonly ImpactSet[]>
  close(): Promise<void>
}

const NOTHING_RECORDED: Recorded = { read: async () => [], close: async () => {} }

/** Recorded variables, from a running service or from the state that the environment names. */
async function openRecorded(values: OptionValues, context: CliContext, last: number): Promise<Recorded> {
  const server = serverOption(values, context)
  if (server !== undefined) {
    const connection = new ServerConnection(server)
    const path = (id: string) => `/api/prompts/${encodeURIComponent(id)}/variables?last=${last}`
    return {
      read: async (id) =>
        listField(await connection.json(path(id)), 'sets').map((set) => {
          const written = isJsonObject(set) ? set : {}
          const at = textField(written, 'at') ?? ''
          return recordedSet(objectField(written, 'variables'), at, readRecordedCalls(written))
        }),
      close: async () => {},
    }
  }
  const config = loadCatalogConfig(context, undefined)
  if (config.stateUrl === undefined && config.redisUrl === undefined) return NOTHING_RECORDED
  const state = await openState(config, silentLogger())
  await state.open()
  const recorder = new VariableRecorder({
    perPrompt: Math.max(1, last),
    share: 1,
    ttlMs: config.recordVariablesTtlMs,
    now: Date.now,
    onLost: () => {},
  })
  recorder.keepIn(state.items(RECORDED))
  return {
    read: async (id) =>
      (await recorder.read(id, last)).map(({ at, variables, calls }) =>
        recordedSet(variables, new Date(at).toISOString(), calls),
      ),
    async close() {
      await recorder.close()
      await state.close()
    },
  }
}

function recordedSet(variables: JsonObject, at: string, calls: readonly RecordedCall[]): ImpactSet {
  const results = new Map(calls.map((call) => [callKey(call.tool, call.arguments), call.result]))
  return {
    variables,
    environs: {},
    recall: ({ id }, given) => results.get(callKey(id, given)),
    source: 'recorded',
    name: `recorded ${at}`,
  }
}

function callKey(tool: string, given: readonly JsonValue[]): string {
  return `${tool} ${canonicalJson([...given])}`
}

/** @throws UsageError for a line that is not an object */
function givenSets(file: string | undefined): readonly ImpactSet[] {
  if (file === undefined) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      const variables = parseLine(line)
      if (!isJsonObject(variables))
        throw new UsageError(`${file}:${index + 1}: each line must be a JSON object`)
      return [{ variables, environs: {}, source: 'given' as const, name: `line ${index + 1}` }]
    })
}

function parseLine(line: string): JsonValue | undefined {
  try {
    return parseJson(line)
  } catch {
    return undefined
  }
}

function lastOf(values: OptionValues): number {
  const text = textOption(values, 'last') ?? '1000'
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError('--last must be a number from 1 to 99999')
  return Math.min(10_000, Number(text))
}
