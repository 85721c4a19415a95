import { ServiceError } from '../../errors.js'
import type { AnsweringModel } from '../../llm/model.js'
import {
  bodyOf,
  digestOfBody,
  type FailedCase,
  type Score,
  scoreOf,
  withBody,
} from '../../proof/improve/candidate.js'
import { betterThan, paretoFront } from '../../proof/improve/choose-candidate.js'
import type { SplitTests } from '../../proof/improve/split-tests.js'
import type { ProofDependencies } from '../../proof/run-test.js'
import type { PromptEntry } from '../../registry/snapshot.js'
import type { Plan } from '../../tasks/plan.js'
import {
  type ProgramPhases,
  type ProgramTaskEvent,
  runReflectiveTask,
  type TaskOutcome,
} from '../../tasks/reflective-task.js'
import { localTool } from '../../tools/local-tool.js'
import { createToolbox } from '../../tools/toolbox.js'
import { type JsonObject, own, stringifyJson, textOrJson } from '../../util/json/json.js'
import { clipped } from '../../util/text/clipped.js'
import type { Candidate, ImproveFile } from './improve-file.js'

/** What an improvement needs. */
export interface ImproveOptions {
  readonly prompt: PromptEntry
  readonly tests: SplitTests
  readonly dependencies: ProofDependencies
  readonly provider: AnsweringModel
  readonly model: string
  readonly rounds: number
  /** Tokens of the model, those of answers to tests included. */
  readonly maxTokens: number
  readonly maxCost?: number | undefined
  readonly file: ImproveFile
  readonly onEvent: (event: ProgramTaskEvent) => void
}

/** A candidate that was tried with tests that nobody learned from. */
export interface TriedCandidate extends Candidate {
  readonly heldOut: Score
}

/** What came of an improvement. Nothing is published. */
export interface Improvement {
  readonly now: TriedCandidate
  /** Candidates that no other dominates in passes and tokens, in the order in which they were found. */
  readonly front: readonly TriedCandidate[]
  /** Better than what there is; undefined for none. */
  readonly better: TriedCandidate | undefined
  readonly candidates: number
  readonly task: TaskOutcome
}

const TOOL = 'test_candidate'
/** A model reads this many failing tests, and so much of each. */
const MAX_CASES = 8
const MAX_CASE_CHARACTERS = 1_000
/** Everything right: the task ends. */
const PERFECT = 100
/** The task's own bound for "correct" is lower. */
const NEARLY = 94

/**
 * Improves the text of a prompt by its tests, as a reflective task: each round a model reads what fails and what earlier
 * rounds taught, and tries candidates; the tests judge them; the model reflects. Candidates that no other dominates are
 * then tried with the held-out tests.
 *
 * @throws ServiceError as the model does
 */
export async function improvePrompt(options: ImproveOptions): Promise<Improvement> {
  const { prompt, file, provider, model, rounds, maxTokens, maxCost, onEvent } = options
  const body = bodyOf(prompt)
  const now = file.find(digestOfBody(body)) ?? (await tested(body, options))
  const task = await runReflectiveTask({
    ...{ provider, model, onEvent },
    tools: createToolbox([candidateTool(options)]),
    description: descriptionOf(options, now),
    config: { maxReflectionRounds: rounds, successThreshold: PERFECT, enableStepLevelReflection: false },
    phases: phasesOf(options, now),
    budget: {
      maxTokens: Math.max(1, maxTokens - file.answerTokens),
      ...(maxCost !== undefined && { maxCost }),
    },
    storage: file.storage,
  })
  const others = file.candidates.filter(({ digest }) => digest !== now.digest)
  const tried: TriedCandidate[] = []
  for (const each of [now, ...paretoFront([now, ...others]).filter((candidate) => candidate !== now)])
    tried.push(await triedOut(each, options))
  const [first, ...front] = tried
  if (first === undefined) throw new Error('what there is was tried')
  return { now: first, front, better: betterThan(first, front), candidates: others.length, task }
}

/** Tests a body and keeps the result. @throws DocumentError for one that is not a valid prompt */
async function tested(
  body: JsonObject,
  { prompt, tests, dependencies, file }: ImproveOptions,
): Promise<Candidate> {
  const train = await scoreOf(withBody(prompt, body), tests.train, dependencies)
  const candidate = { digest: digestOfBody(body), body, train }
  await file.keep(candidate)
  return candidate
}

async function triedOut(
  candidate: Candidate,
  { prompt, tests, dependencies, file }: ImproveOptions,
): Promise<TriedCandidate> {
  const { heldOut } = candidate
  if (heldOut !== undefined) return { ...candidate, heldOut }
  const score = await scoreOf(withBody(prompt, candidate.body), tests.heldOut, dependencies)
  const tried = { ...candidate, heldOut: score }
  await file.keep(tried)
  return tried
}

/** Testing a candidate again changes nothing: a task that died may ask once more. */
function candidateTool(options: ImproveOptions) {
  const { prompt, file, maxTokens } = options
  return localTool({
    name: TOOL,
    description: 'Tests a whole new text of the prompt. Answers how many tests pass, and which fail and why.',
    parameters: parametersOf(prompt),
    readOnly: true,
    async execute(args) {
      const [field = ''] = Object.keys(bodyOf(prompt))
      const body = { [field]: own(args, field === 'messages' ? 'messages' : 'text') ?? null }
      const known = file.find(digestOfBody(body))
      if (known === undefined && file.answerTokens >= maxTokens)
        throw new ServiceError('forbidden', 'The budget of tokens is used up: stop')
      const { train } = known ?? (await tested(body, options))
      return resultOf(train)
    },
  })
}

function parametersOf({ definition: { body } }: PromptEntry): JsonObject {
  if (body.kind === 'prompt')
    return { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } }
  const message = {
    type: 'object',
    required: ['role', 'content'],
    properties: { role: { enum: ['system', 'user', 'assistant'] }, content: {} },
  }
  return {
    type: 'object',
    required: ['messages'],
    properties: { messages: { type: 'array', minItems: 1, items: message } },
  }
}

function resultOf({ passed, total, tokens, failed }: Score): JsonObject {
  return { passed, total, tokens, failing: failed.slice(0, MAX_CASES).map(caseText) }
}

/** Each round is one turn of the model, which tests as often as it likes; the tests say how good that was. */
function phasesOf(options: ImproveOptions, now: Candidate): ProgramPhases {
  const { file, prompt } = options
  return {
    plan: (round, history) => planOf(round, roundText(prompt, bestOf(file, now), history)),
    evaluate: () => {
      const { passed, total, failed } = bestOf(file, now).train
      const isPerfect = passed === total
      const score = isPerfect ? PERFECT : Math.min(NEARLY, Math.floor((100 * passed) / total))
      return {
        overallScore: score,
        isSuccessful: isPerfect,
        dimensions: { completeness: score, correctness: score, efficiency: score, reliability: score },
        successes: [],
        failures: failed.slice(0, MAX_CASES).map(caseText),
        improvementSuggestions: [],
      }
    },
  }
}

/** Passes the most tests so far; of several the one with the fewest tokens. */
function bestOf({ candidates }: ImproveFile, now: Candidate): Candidate {
  return candidates.reduce((best, each) => {
    const gain = each.train.passed - best.train.passed
    return gain > 0 || (gain === 0 && each.train.tokens < best.train.tokens) ? each : best
  }, now)
}

function planOf(round: number, description: string): Plan {
  const goal = 'a text that passes more tests'
  const status = { s: 'pending' } as const
  const step = { id: 'write', index: 0, description, parameters: {}, dependencies: [], attempts: 0, status }
  return { id: `improve-${round}`, goal, steps: [step] }
}

function descriptionOf({ prompt: { id } }: ImproveOptions, { body, train }: Candidate): string {
  return `Change the text of the prompt ${id} so that more of its tests pass, with as few tokens as possible. It began with
${train.passed} of ${train.total} tests passed and this text:

${bodyText(body)}`
}

function roundText({ definition: { engine } }: PromptEntry, best: Candidate, history: string): string {
  const { passed, total, tokens, failed } = best.train
  const parts = [
    `Rewrite a prompt. It is a template (${engine === 'go' ? 'Go text/template' : 'Handlebars'}): keep its variables, tools and
includes as they are written. The best text so far passes ${passed} of ${total} tests, with ${tokens} tokens on average:`,
    bodyText(best.body),
    failed.length === 0 ? 'All tests pass: make it shorter.' : 'These tests fail:',
    ...failed.slice(0, MAX_CASES).map(caseText),
    ...(history === '' ? [] : ['What earlier rounds taught:', history]),
    `Call ${TOOL} with a whole new text. It says what still fails; try again, three times at most. Write what the tests ask for
in general, not the words of single tests. End with one sentence about what helped.`,
  ]
  return parts.join('\n\n')
}

function bodyText(body: JsonObject): string {
  return Object.values(body)
    .map((each) => (typeof each === 'string' ? each : stringifyJson(each, 2)))
    .join('\n')
}

function caseText({ test, variables, reasons }: FailedCase): string {
  return clipped(`${test}: ${reasons.join('; ')}; variables: ${textOrJson(variables)}`, MAX_CASE_CHARACTERS)
}
