import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { compileFound } from '../../prompts/compile-found.js'
import { type FoundPrompt, findPrompt, headIn, realIdOf } from '../../prompts/find-prompt.js'
import type { Renderer } from '../../prompts/render.js'
import { unknownPrompt } from '../../prompts/unknown-prompt.js'
import { targetsOf } from '../../registry/life.js'
import type { Registry } from '../../registry/registry.js'
import type { Label, LabelTarget, Life, PromptVersion } from '../../registry/snapshot.js'
import { subjectPath } from '../../registry/spelled-path.js'
import { stampOf } from '../../registry/version-stamp.js'
import type { IdParams } from '../../schema/api.js'
import type { DiffBody, DiffQuery, HistoryQuery } from '../../schema/life-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonValue } from '../../util/json/json.js'
import { historyAddress } from '../../versions/addresses.js'
import { type HistoryEntry, type HistoryGap, readEntry, verifyChain } from '../../versions/history-entry.js'
import { readChoice } from '../../versions/prompt-choice.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { accessOf } from '../doors/caller.js'
import { callOf } from '../requests/request-context.js'

/** What showing versions, labels and histories needs. */
export interface LifeDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
}

type PromptRequest<More extends object = object> = FastifyRequest<{ Params: IdParams } & More>

/** Lists the versions of a prompt that a key may have, the newest first. */
export function showVersions({ registry }: LifeDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const { id, labels, versions } = await lifeFor(registry, request)
    const shown = versions.map((version) => summaryOf(version, labels, registry.labels.now)).reverse()
    return { id, versions: shown }
  }
}

/** Lists the labels of a prompt that a key may have. */
export function showLabels({ registry }: LifeDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const { id, labels } = await lifeFor(registry, request)
    const isBound = accessOf(request).labels !== undefined
    return { id, labels: labels.map((label) => labelSummary(label, isBound, registry.labels.now)) }
  }
}

/** Shows what was published, promoted and rolled back, as far as the store keeps it. */
export function showHistory({ registry }: LifeDependencies) {
  return async (request: PromptRequest<{ Querystring: HistoryQuery }>): Promise<object> => {
    const { id, path } = await lifeFor(registry, request)
    const { limit } = request.query
    const texts = await registry.history(historyAddress('templates', path), limit)
    const { labels: bound } = accessOf(request)
    const entries = recordsOf(texts ?? [], limit)
    // A key that is limited to labels sees the history of these labels.
    const shown = bound === undefined ? entries : entries.filter(({ label = '' }) => bound.includes(label))
    return { id, available: texts !== undefined, entries: shown }
  }
}

/** Compares two texts of a prompt as they are written. */
export function showDiff({ registry }: LifeDependencies) {
  return async (request: PromptRequest<{ Querystring: DiffQuery }>): Promise<object> => {
    const { id, from, to } = await bothSides(registry, request)
    const changes = differences(partsOf(from.found), partsOf(to.found))
    return { id, from: sideOf(from), to: sideOf(to), changes }
  }
}

/** Compares what two texts of a prompt render to. */
export function showRenderedDiff({ registry, renderer }: LifeDependencies) {
  return async (request: PromptRequest<{ Querystring: DiffQuery; Body: DiffBody }>): Promise<object> => {
    const { id, from, to } = await bothSides(registry, request)
    const variables = isJsonObject(request.body?.variables) ? request.body.variables : {}
    const render = async ({ found }: Side) => {
      const rendered = await renderer.render({
        ...compileFound(registry, found),
        variables,
        call: callOf(request),
        isNew: true,
      })
      return rendered.kind === 'prompt' ? rendered.text : rendered.messages
    }
    const before = await render(from)
    const after = await render(to)
    return { id, from: sideOf(from), to: sideOf(to), same: isDeepStrictEqual(before, after), before, after }
  }
}

/** What a detail says of a prompt that has versions or labels. */
export function lifeFacts(
  life: Life<PromptVersion> | undefined,
  bound: readonly string[] | undefined,
): { readonly labels?: readonly string[]; readonly newest_version?: number } {
  if (life === undefined) return {}
  const labels = [...life.labels.keys()].filter((name) => bound?.includes(name) !== false)
  const newest = bound === undefined ? life.versions.at(-1)?.number : undefined
  return { labels, ...(newest !== undefined && { newest_version: newest }) }
}

/** What a request's key may know of a prompt's life. @throws ServiceError `prompt_not_found` */
async function lifeFor(registry: Registry, request: PromptRequest) {
  const { id: asked } = request.params
  const snapshot = await registry.readThrough(asked)
  const id = realIdOf(snapshot, asked)
  assertMayUse(request, id)
  const life = snapshot.promptLives.get(id)
  const { labels: bound } = accessOf(request)
  if (life === undefined && (bound !== undefined || !snapshot.prompts.has(id)))
    throw unknownPrompt(snapshot, id)
  const labels = [...(life?.labels.values() ?? [])].filter(({ name }) => bound?.includes(name) !== false)
  if (bound !== undefined && labels.length === 0) throw unknownPrompt(snapshot, id)
  const all = life?.versions ?? []
  const served = new Set(labels.flatMap((label) => targetsOf(label, registry.labels.now)).map(numberOf))
  const versions = bound === undefined ? all : all.filter(({ number }) => served.has(number))
  return { id, labels, versions, path: subjectPath('templates', id, snapshot.prompts.get(id), life) }
}

function numberOf({ version }: LabelTarget): number {
  return version.number
}

function summaryOf(version: PromptVersion, labels: readonly Label[], now: () => number): object {
  const { number, digest, revision, isReplaced } = version
  const serving = labels.filter((label) =>
    targetsOf(label, now).some((each) => each.version.number === number),
  )
  return {
    version: number,
    digest,
    revision,
    ...stampOf(version),
    labels: serving.map(({ name }) => name),
    ...(isReplaced && { replaced: true }),
  }
}

/** @param isBound whether the key reads what labels serve, and no other versions */
function labelSummary(label: Label, isBound: boolean, now: () => number): object {
  const { name, entry, problem, sticky } = label
  const { signatures = [], targets: _targets, previous, ...release } = entry.release ?? {}
  const signers = signatures.length > 0 ? signatures.map(({ signer }) => signer) : undefined
  const said = Object.entries({
    ...{ problem, ...release, sticky, signers, previous: isBound ? undefined : previous },
  })
  const serves = targetsOf(label, now)
  return {
    label: name,
    serves: serves.map(({ version, end }, index) => ({
      version: version.number,
      digest: version.digest,
      ...(serves.length > 1 && { share: (end - (serves[index - 1]?.end ?? 0)) / 100 }),
    })),
    ...Object.fromEntries(said.filter(([, value]) => value !== undefined)),
  }
}

/** An entry of a history, or that there is one which is not valid. */
interface ShownEntry extends Partial<Omit<HistoryEntry, 'action'>> {
  readonly action: HistoryEntry['action'] | 'unreadable'
  readonly gap?: HistoryGap['kind']
}

/** @param texts the newest first, at most `limit` */
function recordsOf(texts: readonly string[], limit: number): readonly ShownEntry[] {
  const entries = texts.map(readEntry)
  const found = verifyChain(entries.toReversed(), texts.length < limit)
  const gaps = new Map(found.map(({ index, kind }) => [index, kind]))
  return entries.map((entry, index) => {
    const gap = gaps.get(entries.length - 1 - index)
    return { ...(entry ?? UNREADABLE), ...(gap !== undefined && { gap }) }
  })
}

const UNREADABLE = { action: 'unreadable', at: '', targets: [] } as const

/** One of two texts that are compared. */
interface Side {
  readonly choice: string
  readonly found: FoundPrompt
}

async function bothSides(registry: Registry, request: PromptRequest<{ Querystring: DiffQuery }>) {
  const { id } = request.params
  const { from, to } = request.query
  assertMayUse(request, realIdOf(registry.current, id))
  return { id, from: await sideFor(registry, request, from), to: await sideFor(registry, request, to) }
}

/** How a request names the document at the prompt's own key. */
const HEAD = 'head'

async function sideFor(registry: Registry, request: PromptRequest, choice: string): Promise<Side> {
  const { labels: bound } = accessOf(request)
  const { id } = request.params
  if (choice === HEAD && bound === undefined) {
    const snapshot = await registry.readThrough(id)
    const prompt = snapshot.prompts.get(realIdOf(snapshot, id))
    if (prompt === undefined) throw unknownPrompt(snapshot, id)
    return { choice, found: headIn(snapshot, prompt) }
  }
  const asked = choice === HEAD ? {} : readChoice(choice)
  if (asked === undefined)
    throw invalidInput('from', `"${choice}" is neither a version nor a label, nor "head"`)
  return { choice, found: await findPrompt(registry, id, { ...asked, bound }) }
}

function sideOf({ choice, found }: Side): object {
  const { prompt, served } = found
  return {
    choice,
    revision: prompt.revision,
    ...(served !== undefined && { version: served.number, digest: served.digest }),
  }
}

function partsOf({ prompt }: FoundPrompt): ReadonlyMap<string, JsonValue> {
  const carried = [...(prompt.carries?.() ?? [])].map(
    ([name, { document }]) => [`partials.${name}`, document] as const,
  )
  return new Map([...Object.entries(prompt.document), ...carried])
}

function differences(
  before: ReadonlyMap<string, JsonValue>,
  after: ReadonlyMap<string, JsonValue>,
): readonly object[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths
    .filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)))
    .map((path) => ({
      path,
      ...(before.has(path) && { before: before.get(path) }),
      ...(after.has(path) && { after: after.get(path) }),
    }))
}
