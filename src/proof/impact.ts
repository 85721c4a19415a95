import { messageText } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { type CompiledFound, compileFound } from '../prompts/compile-found.js'
import { TokenCounter } from '../prompts/count-tokens.js'
import type { FoundPrompt } from '../prompts/find-prompt.js'
import type { Renderer } from '../prompts/render.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import type { ToolObservation } from '../prompts/tool-functions.js'
import type { Registry } from '../registry/registry.js'
import { TemplateError } from '../template/host.js'
import type { JsonObject } from '../util/json/json.js'
import { differenceOf, wordDiff } from '../util/text/word-diff.js'
import { withEnvirons } from './replaced-context.js'

/** Variables to render with, and where they come from. */
export interface ImpactSet {
  readonly variables: JsonObject
  /** In place of the shared context, by dotted path. */
  readonly environs: JsonObject
  /** What is known of a tool's call; tools that nothing is known of are left out. */
  readonly recall?: ToolObservation['recall']
  readonly source: 'recorded' | 'example' | 'test' | 'given'
  /** For people: the name of the example or test. */
  readonly name: string
}

/** One of two states of a catalog. */
export interface ImpactSide {
  readonly registry: Registry
  readonly renderer: Renderer
  /** @throws ServiceError for a prompt that this side does not have */
  readonly find: (id: string) => FoundPrompt | Promise<FoundPrompt>
}

/** How renders of one set differ. */
export interface ImpactDifference {
  readonly set: string
  readonly diff: string
}

/** Renders that fail on one side only, by their error. */
export interface ImpactFailure {
  readonly code: string
  readonly message: string
  readonly renders: number
}

/** Half and nineteen twentieths of all renders have at most this many tokens. */
export interface TokenSpread {
  readonly p50: number
  readonly p95: number
}

/** What a change does to the renders of one prompt. */
export interface PromptImpact {
  readonly prompt: string
  /** Sets that it was rendered with, by where they come from. */
  readonly renders: number
  readonly sources: Readonly<Partial<Record<ImpactSet['source'], number>>>
  readonly differ: number
  /** What rendered before and fails now, the most frequent first. */
  readonly now_fail: readonly ImpactFailure[]
  /** What failed before and renders now. */
  readonly no_longer_fail: number
  readonly tokens: { readonly before: TokenSpread; readonly after: TokenSpread }
  /** The middle one by the characters that differ. */
  readonly typical?: ImpactDifference
  /** Where one differs more than the typical one. */
  readonly largest?: ImpactDifference
  /** Ids of tools whose calls were left out, and how many those were. */
  readonly tools_left_out: Readonly<Record<string, number>>
}

type Outcome = { readonly text: string } | { readonly code: string; readonly message: string }

/**
 * Renders a prompt before and after a change, with every set. Tools answer what the set has of them; else they are left
 * out: a placeholder replaces each result, the same on both sides.
 */
export async function impactOn(
  prompt: string,
  sets: readonly ImpactSet[],
  before: ImpactSide,
  after: ImpactSide,
): Promise<PromptImpact> {
  const calls = new Map<string, number>()
  const [one, other] = [await openSide(prompt, before, calls), await openSide(prompt, after, new Map())]
  const pairs: { readonly set: ImpactSet; readonly was: Outcome; readonly is: Outcome }[] = []
  for (const set of sets) pairs.push({ set, was: await one(set), is: await other(set) })
  const texts = pairs.flatMap(({ set, was, is }) =>
    'text' in was && 'text' in is && was.text !== is.text ? [{ set, was: was.text, is: is.text }] : [],
  )
  const bySize = texts
    .map((each) => ({ ...each, size: differenceOf(each.was, each.is) }))
    .sort((a, b) => a.size - b.size)
  const [typical, largest] = [bySize[Math.floor((bySize.length - 1) / 2)], bySize.at(-1)]
  const failing = pairs.flatMap(({ was, is }) => ('text' in was && 'code' in is ? [is] : []))
  const counter = new TokenCounter()
  return {
    prompt,
    renders: sets.length,
    sources: counts(sets.map(({ source }) => source)),
    differ: texts.length,
    now_fail: byError(failing),
    no_longer_fail: pairs.filter(({ was, is }) => 'code' in was && 'text' in is).length,
    tokens: {
      before: await spreadOf(
        pairs.map(({ was }) => was),
        counter,
      ),
      after: await spreadOf(
        pairs.map(({ is }) => is),
        counter,
      ),
    },
    ...(typical && { typical: describe(typical) }),
    ...(largest && typical && largest.size > typical.size && { largest: describe(largest) }),
    tools_left_out: Object.fromEntries(calls),
  }
}

function describe({ set, was, is }: { set: ImpactSet; was: string; is: string }): ImpactDifference {
  return { set: set.name, diff: wordDiff(was, is) }
}

/** A side's prompt is found and compiled once; one that cannot be fails with every set. */
async function openSide(
  prompt: string,
  { registry, renderer, find }: ImpactSide,
  calls: Map<string, number>,
): Promise<(set: ImpactSet) => Promise<Outcome>> {
  let found: CompiledFound
  try {
    found = compileFound(registry, await find(prompt))
  } catch (error) {
    const failed = toFailure(error)
    return async () => failed
  }
  const call = { requestId: 'impact', signal: new AbortController().signal }
  const onCall = ({ tool }: { readonly tool: string }) => void calls.set(tool, (calls.get(tool) ?? 0) + 1)
  const tools = { dryRun: 'true', onCall } as const
  return async ({ variables, environs, recall }) => {
    try {
      const snapshot = withEnvirons(found.snapshot, environs)
      const rendered = await renderer.render({
        ...found,
        snapshot,
        variables,
        call,
        tools: { ...tools, recall },
      })
      return { text: textOf(rendered) }
    } catch (error) {
      return toFailure(error)
    }
  }
}

/** @throws anything but a failure of a render */
function toFailure(error: unknown): Outcome {
  if (error instanceof ServiceError || error instanceof TemplateError)
    return { code: error.code, message: error.message }
  throw error
}

/** A conversation as text, each message after a line with its role. */
function textOf(rendered: RenderedPrompt): string {
  if (rendered.kind === 'prompt') return rendered.text
  return rendered.messages.map((message) => `── ${message.role} ──\n${messageText(message)}`).join('\n')
}

function counts<Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> {
  const all: Partial<Record<Name, number>> = {}
  for (const name of names) all[name] = (all[name] ?? 0) + 1
  return all
}

function byError(failures: readonly { readonly code: string; readonly message: string }[]) {
  const all = new Map<string, ImpactFailure>()
  for (const { code, message } of failures) {
    const key = `${code} ${message}`
    all.set(key, { code, message, renders: (all.get(key)?.renders ?? 0) + 1 })
  }
  return [...all.values()].sort((one, other) => other.renders - one.renders)
}

async function spreadOf(outcomes: readonly Outcome[], counter: TokenCounter): Promise<TokenSpread> {
  const sizes: number[] = []
  for (const outcome of outcomes) if ('text' in outcome) sizes.push(await counter.count(outcome.text))
  sizes.sort((one, other) => one - other)
  const at = (part: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * part))] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}
