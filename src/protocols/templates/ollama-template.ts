import { compileForHost, type HostTemplate } from '../../template/host.js'
import type { JsonValue } from '../../util/json/json.js'
import {
  collate,
  type OllamaMessage,
  ollamaJson,
  toOllamaMessages,
  toOllamaTools,
  typeScriptType,
} from './ollama-values.js'
import type { PromptInput } from './prompt-template.js'

/** A Go template of Ollama, ready to render. */
export interface OllamaTemplate {
  /** @throws TemplateError with Go's message */
  render(input: PromptInput): Promise<string>
}

/** How a model is to think, as Ollama's templates read it. */
interface Thinking {
  readonly Think: boolean
  readonly ThinkLevel: string
  readonly IsThinkSet: boolean
}

const DAY_MS = 86_400_000

/**
 * Compiles a template as Ollama does: with its functions `json`, `currentDate`, `yesterdayDate` and `toTypeScriptType`,
 * and with `{{ .Response }}` at the end of one that prints neither messages nor answers.
 *
 * @throws TemplateError with Go's message
 */
export function compileOllamaTemplate(source: string): OllamaTemplate {
  const parsed = compileSource(source)
  const isComplete = reads(parsed, 'Messages') || reads(parsed, 'Response')
  const template = isComplete ? parsed : compileSource(`${source}{{ .Response }}`)
  return {
    render(input) {
      const messages = toOllamaMessages(input.messages)
      const run: Run = { template, now: input.now, thinking: thinkingOf(input) }
      return reads(template, 'Messages')
        ? renderMessages(run, messages, input)
        : renderTurns(run, collate(messages).messages)
    },
  }
}

function compileSource(source: string): HostTemplate {
  return compileForHost(source, { numbers: 'go', functions: functionsAt(new Date(0)) })
}

/** What one render is made of. */
interface Run {
  readonly template: HostTemplate
  readonly now: Date
  readonly thinking: Thinking
}

function reads(template: HostTemplate, name: string): boolean {
  return template.references.variables.some(({ path }) => path.includes(name))
}

function functionsAt(now: Date) {
  const dateOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)
  return {
    json: (value: JsonValue) => ollamaJson(value),
    currentDate: () => dateOf(now.getTime()),
    yesterdayDate: () => dateOf(now.getTime() - DAY_MS),
    toTypeScriptType: (value: JsonValue) => typeScriptType(value),
  }
}

function thinkingOf({ reasoningEffort }: PromptInput): Thinking {
  const isThinking = reasoningEffort !== undefined && reasoningEffort !== 'none'
  return {
    Think: isThinking,
    ThinkLevel: isThinking ? reasoningEffort : '',
    IsThinkSet: reasoningEffort !== undefined,
  }
}

async function renderWith({ template, now, thinking }: Run, data: object): Promise<string> {
  const functions = functionsAt(now)
  return await template.render({ ...data, ...thinking }, { missingKey: 'zero', functions })
}

/** Templates that go through the messages themselves. */
function renderMessages(run: Run, given: readonly OllamaMessage[], input: PromptInput): Promise<string> {
  const { system, messages } = collate(given)
  const tools = toOllamaTools(input.tools ?? [])
  return renderWith(run, { System: system, Messages: messages, Tools: tools, Response: '' })
}

/** Templates of one exchange are rendered for each exchange, and the last ends where the answer begins. */
async function renderTurns(run: Run, messages: readonly OllamaMessage[]): Promise<string> {
  const exchanges: Exchange[] = []
  let open: Exchange = { System: '', Prompt: '', Response: '' }
  const close = () => {
    exchanges.push(open)
    open = { System: '', Prompt: '', Response: '' }
  }
  for (const { Role, Content } of messages) {
    if (Role === 'system') {
      if (open.Prompt !== '' || open.Response !== '') close()
      open = { ...open, System: Content }
    } else if (Role === 'user') {
      if (open.Response !== '') close()
      open = { ...open, Prompt: Content }
    } else if (Role === 'assistant') open = { ...open, Response: Content }
  }
  const texts: string[] = []
  for (const exchange of exchanges) texts.push(await renderWith(run, exchange))
  const last = { ...run, template: run.template.upToField('Response') }
  return texts.join('') + (await renderWith(last, open))
}

interface Exchange {
  readonly System: string
  readonly Prompt: string
  readonly Response: string
}
