import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { ReflectionShape } from '../schema/task-work.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList } from '../util/json/json-fields.js'
import { readTexts } from './evaluation.js'

/** What the reflector said after a round, in its own words and names. */
export type Reflection = ReadonlyStatic<typeof ReflectionShape>

const TEXTS: JsonObject = { type: ['array', 'null'], items: { type: 'string' } }

/** What a reflection has to hold: whether to plan again. */
export const REFLECTION_SCHEMA: JsonObject = {
  type: 'object',
  required: ['should_replan'],
  properties: {
    should_replan: { type: 'boolean' },
    root_causes: TEXTS,
    incorrect_assumptions: TEXTS,
    alternative_approaches: TEXTS,
    optimization_suggestions: { type: ['array', 'null'], items: { type: ['object', 'string'] } },
    lessons_learned: TEXTS,
  },
}

/** The fallback for a reflection that could not be used: the task plans again. */
export const UNUSABLE_REFLECTION: Reflection = Object.freeze({
  root_causes: [],
  incorrect_assumptions: [],
  alternative_approaches: [],
  optimization_suggestions: [],
  lessons_learned: [],
  should_replan: true,
  unusable: true,
})

/** An object that fits {@link REFLECTION_SCHEMA}. */
export function readReflection(value: JsonObject): Reflection {
  const id = own(value, 'reflection_id')
  return {
    ...(typeof id === 'string' && { reflection_id: id }),
    root_causes: readTexts(own(value, 'root_causes')),
    incorrect_assumptions: readTexts(own(value, 'incorrect_assumptions')),
    alternative_approaches: readTexts(own(value, 'alternative_approaches')),
    optimization_suggestions: readSuggestions(own(value, 'optimization_suggestions')),
    lessons_learned: readTexts(own(value, 'lessons_learned')),
    should_replan: own(value, 'should_replan') === true,
  }
}

function readSuggestions(value: JsonValue | undefined): readonly JsonObject[] {
  if (!isJsonList(value)) return []
  return value.flatMap((each) => {
    if (isJsonObject(each)) return [each]
    return typeof each === 'string' ? [{ proposed_solution: each }] : []
  })
}
