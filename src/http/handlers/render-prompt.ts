import type { FastifyReply, FastifyRequest } from 'fastify'
import { reachOf } from '../../access/reach-of.js'
import type { ServiceError } from '../../errors.js'
import { compileFound } from '../../prompts/compile-found.js'
import type { ConversationAssembler, ConversationRequest } from '../../prompts/conversation-assembler.js'
import { explainRender } from '../../prompts/explain.js'
import { type FoundPrompt, findPrompt } from '../../prompts/find-prompt.js'
import type { GuardedWork } from '../../prompts/guarded-work.js'
import type { CompileInline, InlinePrompt } from '../../prompts/inline-prompt.js'
import type { Renderer } from '../../prompts/render.js'
import type { RenderRequest } from '../../prompts/render-request.js'
import { requestVariables } from '../../prompts/request-variables.js'
import type { Registry } from '../../registry/registry.js'
import type { IdParams, RenderBody, RenderQuery } from '../../schema/api.js'
import { andThen } from '../../util/and-then.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { toJsonText } from '../answers/json-text.js'
import { sendRendered } from '../answers/send-rendered.js'
import { servedFields } from '../answers/served-version.js'
import { assertScope } from '../doors/authentication.js'
import { accessOf } from '../doors/caller.js'
import { askedByCaller, askedPrompt } from '../requests/asked-prompt.js'
import { inlineBody } from '../requests/inline-body.js'
import { callerOf, renderRequest } from '../requests/render-request.js'

/** What rendering for HTTP requests needs. */
export interface RenderHandlerDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  readonly assembler: ConversationAssembler
  readonly compileInline: CompileInline
  readonly guarded: GuardedWork
  /** Whether it is for clients of the Go original, at its path. */
  readonly isAlias: boolean
}

/** What is read of a request. */
interface Asked {
  Body: RenderBody
  Querystring: RenderQuery
}

/** Answered at once when the prompt waits for nothing. */
type Answered = Promise<void> | undefined

/** Renders a registered prompt, or a conversation that begins with it. */
export function renderRegistered(dependencies: RenderHandlerDependencies) {
  return (request: FastifyRequest<{ Params: IdParams } & Asked>, reply: FastifyReply): Answered => {
    const { id } = request.params
    const { registry } = dependencies
    request.logFields = { prompt: id }
    // A prompt without variables needs no body.
    request.body ??= {}
    const asked = askedPrompt(request, registry, id, request.query, () => requestVariables(request.body))
    const found = findPrompt(registry, id, asked)
    return andThen(found, (each) => renderFound(dependencies, each, request, reply))
  }
}

/** Renders a prompt that the request brings along, or a conversation. */
export function renderInline(dependencies: RenderHandlerDependencies) {
  return (request: FastifyRequest<Asked>, reply: FastifyReply): Answered => {
    const snapshot = dependencies.registry.current
    const inline = inlineBody(request.body)
    if (inline.kind === 'compose')
      return renderComposed(dependencies, { items: inline.items }, request, reply)
    const variables = requestVariables(request.body)
    const render = (prompt: InlinePrompt) => {
      const asked = renderRequest({ snapshot, ...prompt }, variables, request)
      return answer(dependencies, asked, undefined, request, reply)
    }
    const prompt = dependencies.compileInline(snapshot, inline.prompt, reachOf(accessOf(request)))
    return andThen(prompt, render)
  }
}

function renderFound(
  dependencies: RenderHandlerDependencies,
  found: FoundPrompt,
  request: FastifyRequest<Asked>,
  reply: FastifyReply,
): Answered {
  const body = request.body
  const { compose } = body
  if (found.served !== undefined) request.logFields = servedFields(found)
  if (compose !== undefined)
    return renderComposed(dependencies, { items: compose, lead: found }, request, reply)
  const compiled = compileFound(dependencies.registry, found)
  const render = renderRequest(compiled, requestVariables(body), request)
  return answer(dependencies, render, render.compiled.revision, request, reply)
}

async function renderComposed(
  { assembler, isAlias, registry }: RenderHandlerDependencies,
  what: Pick<ConversationRequest, 'items' | 'lead'>,
  request: FastifyRequest<Asked>,
  reply: FastifyReply,
): Promise<void> {
  const { explain, dry_run } = request.query
  if (explain !== 'false' || dry_run !== 'false') throw notForConversations()
  const variables = requestVariables(request.body)
  const reach = reachOf(accessOf(request))
  const asked = askedByCaller(request, registry, () => variables)
  const conversation = { ...what, ...callerOf(request), reach, asked, variables }
  const { messages, warnings } = await assembler.assemble(conversation)
  const rendered = { kind: 'messages', json: toJsonText(messages), isAscii: false, warnings } as const
  await sendRendered(request, reply, rendered, { isAlias, served: what.lead?.served })
}

function answer(
  dependencies: RenderHandlerDependencies,
  render: RenderRequest,
  revision: string | undefined,
  request: FastifyRequest<Asked>,
  reply: FastifyReply,
): Answered {
  const { explain, dry_run: dryRun } = request.query
  if (explain !== 'false') assertScope(request, 'read', '`explain`')
  if (explain !== 'false' || dryRun !== 'false')
    return answerExplained(dependencies, render, revision, request, reply)
  const { renderer, isAlias } = dependencies
  const rendered = renderer.renderJson(render)
  const about = { revision, isAlias, served: render.served }
  if (!(rendered instanceof Promise)) return sendRendered(request, reply, rendered, about)
  return rendered.then((each) => sendRendered(request, reply, each, about))
}

async function answerExplained(
  { renderer, guarded, isAlias }: RenderHandlerDependencies,
  render: RenderRequest,
  revision: string | undefined,
  request: FastifyRequest<Asked>,
  reply: FastifyReply,
): Promise<void> {
  const { explain, dry_run: dryRun } = request.query
  const { rendered, explanation } = await explainRender(render, {
    renderer,
    guarded,
    dryRun,
    detail: explain === 'spans' || explain === 'tokens' ? explain : 'none',
    now: Date.now,
  })
  const shown = explain === 'false' ? undefined : explanation
  await sendRendered(request, reply, rendered, {
    revision,
    explanation: shown,
    isAlias,
    served: render.served,
  })
}

function notForConversations(): ServiceError {
  return invalidInput('compose', '`explain` and `dry_run` take a `prompt`, not `compose`')
}
