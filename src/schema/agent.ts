import { anyObject, looseObject } from './any-object.js'
import { optional } from './optional.js'
import { JsonSchema, ParameterEntry } from './prompt.js'
import { PROTOCOL_CHOICES } from './protocol-id.js'
import { type Static, Type } from './type.js'

/** What an agent is for; `agent-browsing` is another name of `browsing`. */
const AGENT_ROLES = ['main', 'browsing', 'agent-browsing'] as const

const names = (description: string) => optional.texts(description, { minLength: 1 })
const count = (description: string) => optional.integer(description, { minimum: 1 })

const Guards = looseObject({
  format: optional.flag('Reject text with tags of a text protocol that are not a call'),
  refusal: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(Type.String())], {
      description: 'Reject answers that give up early; a list replaces the phrases that are searched for',
    }),
  ),
  duplicate: optional.flag('A read-only call that succeeded in this turn is not made again'),
  loop: optional.flag('Equal calls in a row end the use of tools'),
  repetition: optional.flag('An answer that is stuck is asked for once more'),
})

const Limits = looseObject({
  maxTurns: count('Turns of a session'),
  maxToolTurns: count('Rounds of tool calls in one turn'),
  maxCallsPerTurn: count('Calls of one message that are executed'),
  maxSteps: count('Model calls in one turn'),
  maxTokens: count('Input and output tokens of one turn'),
  maxCost: optional.number('In the currency of the configured prices', { exclusiveMinimum: 0 }),
  maxMs: count('Milliseconds of one turn'),
})

const Context = looseObject({
  window: count("The model's context, in tokens"),
  keepToolResults: optional.integer('How many of the newest tool results the model gets; -1: all', {
    minimum: -1,
  }),
  compact: optional.flag('Older messages may be summarized'),
})

const Approvals = looseObject({
  ask: names('Tools that a person has to approve, call by call'),
  deny: names('Tools that may not be called'),
})

/** What the author of an agent writes, in Redis or in a file, before normalisation. */
export const AgentDocument = looseObject({
  name: Type.Optional(Type.String({ minLength: 1 })),
  description: Type.Optional(Type.String()),
  prompt: optional.text('Id of a prompt that opens the system message', { minLength: 1 }),
  instructions: optional.text(
    'The system message, or what follows `prompt` in it; a template of `variables`',
  ),
  engine: Type.Optional(Type.Enum(['go', 'handlebars'])),
  parameters: Type.Optional(
    Type.Union([Type.Array(ParameterEntry), JsonSchema], { description: 'Of `variables`, as in prompts' }),
  ),
  model: Type.Optional(Type.String({ minLength: 1 })),
  options: Type.Optional(anyObject({ description: 'Parameters of the model, such as temperature' })),
  tools: names(
    'By id (`m.read`), function name (`m_read`), module (`m.*`), `agent:<id>`, or all of them (`*`)',
  ),
  protocol: Type.Optional(
    Type.Enum([...PROTOCOL_CHOICES], {
      description: 'How the model writes tool calls; `auto` goes by its name',
    }),
  ),
  approvals: Type.Optional(Approvals),
  answer: Type.Optional(
    Type.Union([Type.Enum(['text', 'boxed']), JsonSchema], {
      description: 'A text, a text with \\boxed{…}, or an object that fits this JSON Schema',
    }),
  ),
  role: Type.Optional(Type.Enum([...AGENT_ROLES])),
  guards: Type.Optional(Guards),
  limits: Type.Optional(Limits),
  context: Type.Optional(Context),
  version: Type.Optional(Type.String()),
})
export type AgentDocument = Static<typeof AgentDocument>
