import { relative } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.js'
import { reachOf } from '../../access/reach-of.js'
import { ServiceError } from '../../errors.js'
import { realIdOf } from '../../prompts/find-prompt.js'
import type { CompileInline } from '../../prompts/inline-prompt.js'
import { unknownPrompt } from '../../prompts/unknown-prompt.js'
import { DocumentError } from '../../registry/fault.js'
import { parseText } from '../../registry/parse-document.js'
import type { Registry } from '../../registry/registry.js'
import { revisionOf } from '../../registry/revision.js'
import type { Snapshot } from '../../registry/snapshot.js'
import { spelledPath } from '../../registry/spelled-path.js'
import type { IdParams } from '../../schema/api.js'
import type { SourceBody } from '../../schema/source-api.js'
import type { DocumentAddress, StoredDocument, TextFormat } from '../../store/store.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject } from '../../util/json/json.js'
import { pathOfId } from '../../versions/addresses.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { accessOf } from '../doors/caller.js'

/** Writes the text of a document that still holds what was read; false when it changed meanwhile. */
export type SaveText = (address: DocumentAddress, before: string, after: string) => Promise<boolean>

/** What showing and saving the texts of documents needs. */
export interface SourceDependencies {
  readonly registry: Registry
  readonly compileInline: CompileInline
  /** Undefined where `PAGE_SAVE` is off. */
  readonly save: SaveText | undefined
}

/** A document with its text. */
interface Source {
  readonly id: string
  readonly address: DocumentAddress
  readonly location: string
  readonly text: string
  readonly format: TextFormat
  readonly revision: string
}

/** Shows what the author of a prompt wrote, in its own format. */
export function showSource({ registry, save }: SourceDependencies) {
  return async (
    request: FastifyRequest<{ Params: IdParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id, location, text, format, revision } = await readSource(registry, request)
    const { kind, location: root } = registry.status.store
    const file = kind === 'directory' ? { file: relative(root, location).replaceAll('\\', '/') } : {}
    const can_save = save !== undefined && accessOf(request).scopes.has('admin')
    return reply.header('cache-control', 'private, no-cache').send({
      ...{ id, revision, text, can_save },
      format: format === 'yaml' ? 'yaml' : 'json',
      ...file,
    })
  }
}

/** Writes a prompt's document, unless it changed since it was read, or could not be used. */
export function saveSource({ registry, compileInline, save }: SourceDependencies) {
  return async (request: FastifyRequest<{ Params: IdParams; Body: SourceBody }>): Promise<object> => {
    if (save === undefined)
      throw new ServiceError('forbidden', 'Documents are not written from here. Set PAGE_SAVE to allow it.')
    const source = await readSource(registry, request)
    const { id, address, revision, format } = source
    const { text } = request.body
    request.logFields = { prompt: id }
    assertMatches(request, revision)
    await assertUsable(text, format, (document) =>
      compileInline(registry.current, document, reachOf(accessOf(request))),
    )
    if (!(await written(save, source, text))) throw changed(id)
    return { id, revision: revisionOf(address, text) }
  }
}

/** @throws ServiceError `prompt_not_found`, `forbidden`, `not_ready` */
async function readSource(
  registry: Registry,
  request: FastifyRequest<{ Params: IdParams }>,
): Promise<Source> {
  const id = realIdOf(registry.current, request.params.id)
  assertMayUse(request, id)
  assertSeesHeads(accessOf(request))
  const address = { kind: 'templates', path: pathOf(registry.current, id) } as const
  const document = await stored(registry, address)
  if (document === undefined) throw unknownPrompt(registry.current, id)
  const { content, location } = document
  if (content.kind === 'unreadable') throw new ServiceError('invalid_prompt', content.problem)
  const { text, format } = content
  return { id, address, location, text, format, revision: revisionOf(address, text) }
}

/** How the key of a prompt is spelled, or would be. */
function pathOf({ prompts }: Snapshot, id: string): readonly string[] {
  const prompt = prompts.get(id)
  if (prompt !== undefined && prompt.origin !== 'direct') throw unknownDocument(id)
  return (prompt && spelledPath('templates', prompt.location)) ?? pathOfId(id)
}

function unknownDocument(id: string): ServiceError {
  return new ServiceError('prompt_not_found', `The prompt ${JSON.stringify(id)} has no document of its own`)
}

/** A key that gets released versions does not see what is not released. */
function assertSeesHeads({ labels }: Access): void {
  if (labels !== undefined)
    throw new ServiceError('forbidden', 'This key gets released versions, and not the documents themselves')
}

async function stored(registry: Registry, address: DocumentAddress): Promise<StoredDocument | undefined> {
  try {
    return await registry.document(address)
  } catch (error) {
    throw new ServiceError('not_ready', 'The store of the catalog is out of reach', { cause: error })
  }
}

function assertMatches({ headers }: FastifyRequest, revision: string): void {
  const asked = headers['if-match']
  if (asked === undefined)
    throw invalidInput('If-Match', 'Send the revision that you read as If-Match: "<revision>"')
  if (asked.replace(/^"|"$/g, '') !== revision) throw changed()
}

function changed(id?: string): ServiceError {
  const what = id === undefined ? 'The document' : `The document of ${id}`
  return new ServiceError('revision_changed', `${what} changed since it was read. Read it again.`)
}

/** @throws ServiceError `invalid_prompt`, and TemplateError: what cannot be used is not written */
async function assertUsable(
  text: string,
  format: TextFormat,
  compile: (document: Parameters<CompileInline>[1]) => unknown,
): Promise<void> {
  const kept = format === 'yaml' ? 'yaml' : 'json'
  try {
    const { value } = parseText({
      ...{ kind: 'templates', path: [], location: 'the request' },
      content: { kind: 'text', text, format: kept },
    })
    if (!isJsonObject(value)) throw new ServiceError('invalid_prompt', 'A prompt must be an object')
    await compile(value)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { line, column, hint } = error.fault
    throw new ServiceError('invalid_prompt', error.message, {
      cause: error,
      param: 'text',
      details: { line, column, hint },
    })
  }
}

async function written(save: SaveText, { address, text }: Source, after: string): Promise<boolean> {
  try {
    return await save(address, text, after)
  } catch (error) {
    throw new ServiceError('forbidden', `The file cannot be written: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}
