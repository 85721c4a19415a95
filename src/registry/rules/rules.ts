import { bareObject } from './bare-object.js'
import { byteFunction } from './byte-function.js'
import { constantDate } from './constant-date.js'
import { extraBraces } from './extra-braces.js'
import { noValue } from './no-value.js'
import { engineVersion, invalidVersion, missingDependence } from './requirements.js'
import type { AgentRule, ExtensionRule, PromptRule, ToolRule } from './rule.js'
import { slowTool } from './slow-tool.js'
import { undeclaredVariable } from './undeclared-variable.js'
import { unfitExample } from './unfit-example.js'
import { unguardedVariable } from './unguarded-variable.js'
import { unknownContext } from './unknown-context.js'
import {
  unknownAgentField,
  unknownExtensionField,
  unknownPromptField,
  unknownToolField,
} from './unknown-field.js'
import { unknownFunction } from './unknown-function.js'
import { unknownPartial } from './unknown-partial.js'
import { unknownAgentPrompt, unknownModel, unknownTool } from './unknown-reference.js'
import { unknownType } from './unknown-type.js'
import { unusedParameter } from './unused-parameter.js'
import { volatilePrefix } from './volatile-prefix.js'

/** A rule of the catalog's check: the code of its findings, and what it looks at. All of them warn. */
export interface RuleRow {
  /** One line for the documentation. */
  readonly summary: string
  readonly prompt?: PromptRule
  readonly tool?: ToolRule
  readonly extension?: ExtensionRule
  readonly agent?: AgentRule
}

/** Every rule by the code of its findings: the documentation lists the same. */
export const RULES = {
  unknown_field: {
    summary:
      'a field that means nothing here, such as `paramters`; names that begin with `x-`, `$` or `_` are yours',
    prompt: unknownPromptField,
    tool: unknownToolField,
    extension: unknownExtensionField,
    agent: unknownAgentField,
  },
  unknown_type: {
    summary: 'a parameter with an unknown type: every value is accepted',
    prompt: unknownType,
    tool: unknownType,
    agent: unknownType,
  },
  undeclared_variable: {
    summary: 'a template reads a variable that `parameters` does not declare',
    prompt: undeclaredVariable,
  },
  unused_parameter: {
    summary: '`parameters` declares a variable that no template reads',
    prompt: unusedParameter,
  },
  unguarded_variable: {
    summary: 'a template reads an optional variable that has no default, outside of `if` and `with`',
    prompt: unguardedVariable,
  },
  unfit_example: {
    summary:
      "one of the prompt's `examples` does not fit its `parameters`, or sets a variable they do not declare",
    prompt: unfitExample,
  },
  unknown_context: {
    summary: 'a template reads a path that no environ gives',
    prompt: unknownContext,
  },
  unknown_function: {
    summary: 'a template calls what is neither a function nor a tool of the catalog',
    prompt: unknownFunction,
  },
  unknown_partial: {
    summary: '`{{template "name"}}` or `{{> name}}` of a prompt that is not there',
    prompt: unknownPartial,
  },
  unknown_tool: {
    summary: 'an agent names a tool, or an agent, that is not there',
    agent: unknownTool,
  },
  unknown_prompt: {
    summary: 'an agent opens its system message with a prompt that is not there',
    agent: unknownAgentPrompt,
  },
  unknown_model: {
    summary: 'an agent asks for a model that is nearly one of those that the upstreams list',
    agent: unknownModel,
  },
  slow_tool: {
    summary: 'a tool that templates call has a `timeoutMs` that is not below `RENDER_TIMEOUT_MS`',
    tool: slowTool,
  },
  no_value: {
    summary:
      'an entry by `index`, or a variable that may be null, that prints `<no value>` when it is not there',
    prompt: noValue,
  },
  bare_object: {
    summary: 'an object or a list printed as it is: models get `map[a:1]`',
    prompt: bareObject,
  },
  byte_function: {
    summary: '`trunc`, `substr`, `abbrev`, `slice` or `len` on text that is not ASCII: they count bytes',
    prompt: byteFunction,
  },
  extra_braces: {
    summary: '`{{{x}}}` in Handlebars: it prints the value in braces, as nothing is escaped',
    prompt: extraBraces,
  },
  constant_date: {
    summary: 'a date written as text where a time belongs: it prints today',
    prompt: constantDate,
  },
  volatile_prefix: {
    summary:
      'what requests change comes before 1,000 characters or more of fixed text: a prefix cache keeps nothing of them',
    prompt: volatilePrefix,
  },
  engine_version: {
    summary: 'an extension asks for another version of this service',
    extension: engineVersion,
  },
  missing_dependence: {
    summary:
      'an extension that another one needs is not there; with `failStrategy: abort` an error. It is served all the same',
    extension: missingDependence,
  },
  invalid_version: {
    summary: 'a value that is not a version or a constraint',
    extension: invalidVersion,
  },
} as const satisfies Record<string, RuleRow>

/** The code of a rule's findings. */
export type RuleId = keyof typeof RULES
