import { type Message, messageText } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import type { CallResult, DescribedTool, EncodableCall, ToolProtocol } from '../protocol.js'
import { splitName } from '../resolve-tool.js'
import { safeJsonLoads } from '../safe-json-loads.js'
import type { ChatFrame, RoleMarkers } from './frames.js'

/** A conversation, and how its tools are explained and its calls written. */
export interface FramedConversation {
  readonly messages: readonly Message[]
  readonly tools: readonly DescribedTool[]
  readonly protocol: ToolProtocol
  readonly now: Date
  readonly addGenerationPrompt: boolean
}

type Speaker = 'system' | 'user' | 'assistant'

/** What a frame writes of one speaker. */
interface Said {
  readonly speaker: Speaker
  readonly text: string
  /** The calls of an assistant, as its protocol writes them. */
  readonly calls: string
}

/**
 * Writes a conversation as the one text that a model reads. Tools are explained in the system message, results come as
 * messages of the user. No text can leave its turn: tokens of the frame in it get a backslash behind their first character.
 */
export function writeFrame(frame: ChatFrame, conversation: FramedConversation): string {
  const { addGenerationPrompt } = conversation
  const tokens = tokensOf(frame)
  const turns = withoutSystem(frame, toTurns(conversation, tokens)).map((said) => writeTurn(frame, said))
  return `${frame.begin ?? ''}${turns.join('')}${addGenerationPrompt ? frame.answer : ''}`
}

function toTurns({ messages, tools, protocol, now }: FramedConversation, tokens: RegExp): Said[] {
  const [first, ...others] = messages
  const isSystem = first?.role === 'system' || first?.role === 'developer'
  const instructions = protocol.instructions(tools, now)
  const system = [isSystem ? escaped(messageText(first), tokens) : '', instructions].filter(
    (text) => text !== '',
  )
  const turns: Said[] =
    system.length === 0 ? [] : [{ speaker: 'system', text: system.join('\n\n'), calls: '' }]
  const names = new Map<string, EncodableCall>()
  let results: CallResult[] = []
  const flush = () => {
    for (const message of protocol.encodeResults(results))
      turns.push({ speaker: 'user', text: escaped(messageText(message), tokens), calls: '' })
    results = []
  }
  for (const message of isSystem ? others : messages) {
    if (message.role === 'tool') {
      const { tool_call_id: id = '' } = message
      results.push({ call: { id, ...nameOf(names.get(id)) }, content: messageText(message) })
      continue
    }
    flush()
    const calls = readToolCalls(message).map(({ id, function: called }) => {
      const call = toEncodable(called, tools)
      names.set(id, call)
      return call
    })
    const speaker = message.role === 'assistant' || message.role === 'user' ? message.role : 'system'
    turns.push({ speaker, text: escaped(messageText(message), tokens), calls: protocol.encodeCalls(calls) })
  }
  flush()
  return turns
}

function nameOf(call: EncodableCall | undefined): Pick<EncodableCall, 'name' | 'server'> {
  if (call === undefined) return { name: '' }
  const { name, server } = call
  return server === undefined ? { name } : { name, server }
}

function toEncodable(
  called: { readonly name: string; readonly arguments: string },
  tools: readonly DescribedTool[],
): EncodableCall {
  const loaded = safeJsonLoads(called.arguments)
  const { name, server } = tools.find((tool) => tool.name === called.name) ?? splitName(called.name)
  return { name, ...(server !== undefined && { server }), arguments: loaded.ok ? loaded.value : {} }
}

/** Families without a system role have its words in front of the user's. */
function withoutSystem({ system }: ChatFrame, turns: readonly Said[]): readonly Said[] {
  if (system !== undefined) return turns
  const written: Said[] = []
  let before = ''
  for (const turn of turns) {
    if (turn.speaker === 'system') before += `${turn.text}\n\n`
    else if (before === '') written.push(turn)
    else {
      if (turn.speaker === 'user') written.push({ ...turn, text: before + turn.text })
      else written.push({ speaker: 'user', text: before.trimEnd(), calls: '' }, turn)
      before = ''
    }
  }
  if (before !== '') written.push({ speaker: 'user', text: before.trimEnd(), calls: '' })
  return written
}

function writeTurn(frame: ChatFrame, { speaker, text, calls }: Said): string {
  const { open, close } = frame[speaker] ?? frame.user
  if (speaker !== 'assistant') return `${open}${text}${close}`
  const said = text === '' && calls !== '' ? '' : within(frame.said, text)
  const between = text !== '' && calls !== '' ? frame.between : ''
  return `${open}${said}${between}${calls}${close}`
}

function within(turn: RoleMarkers | undefined, text: string): string {
  return turn === undefined ? text : `${turn.open}${text}${turn.close}`
}

const TOKEN = /<[|｜][^<>]*[|｜]?>|<[|｜]?[^<>]*[|｜]>|<\/?\w+>|\[\/?[A-Za-z_]+\]|\]~!?b[[\]]|\[e~\[/g

/** The special tokens that a frame is made of. */
function tokensOf({ begin = '', system, user, assistant, said, between, answer }: ChatFrame): RegExp {
  const turns = [system, user, assistant, said].flatMap((turn) =>
    turn === undefined ? [] : [turn.open, turn.close],
  )
  const tokens = new Set([begin, ...turns, between, answer].flatMap((text) => text.match(TOKEN) ?? []))
  const starts = [...tokens].map((token) => token.slice(1).replace(/[|\\.*+?^$(){}[\]]/g, '\\$&'))
  return new RegExp(`([<[\\]])(\\\\*)(?=${starts.join('|')})`, 'g')
}

/** The text without tokens of the frame. */
function escaped(text: string, tokens: RegExp): string {
  return text.replace(tokens, '$1$2\\')
}
