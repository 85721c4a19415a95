import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { EvaluationShape } from '../schema/task-work.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList, textsOf } from '../util/json/json-fields.js'
import type { CamelCase } from '../util/text/camel-case.js'

/** The four things a result is judged by. */
export const DIMENSIONS = ['completeness', 'correctness', 'efficiency', 'reliability'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** What the evaluator said of one round, in its own words and names. Scores are 0 to 100. */
export type Evaluation = ReadonlyStatic<typeof EvaluationShape>

/** What an evaluator said, in the names of programs. */
export type ProgramEvaluation = CamelCase<Evaluation>

/** An evaluation in the names of the wire. */
export function toEvaluation(evaluation: ProgramEvaluation): Evaluation {
  const { evaluationId, overallScore, isSuccessful, improvementSuggestions, ...rest } = evaluation
  return {
    ...rest,
    ...(evaluationId !== undefined && { evaluation_id: evaluationId }),
    overall_score: overallScore,
    is_successful: isSuccessful,
    improvement_suggestions: improvementSuggestions,
  }
}

const SCORE: JsonObject = { type: ['number', 'string'], pattern: '^\\s*-?\\d+(\\.\\d+)?\\s*%?\\s*$' }
const TEXTS: JsonObject = { type: ['array', 'null'], items: { type: 'string' } }

/** What an evaluation has to hold: every dimension, as a number or as text such as `95%`. */
export const EVALUATION_SCHEMA: JsonObject = {
  type: 'object',
  required: ['overall_score', 'is_successful', 'dimensions'],
  properties: {
    overall_score: SCORE,
    is_successful: { type: 'boolean' },
    dimensions: {
      type: 'object',
      required: [...DIMENSIONS],
      properties: Object.fromEntries(DIMENSIONS.map((name) => [name, SCORE])),
    },
    successes: TEXTS,
    failures: TEXTS,
    improvement_suggestions: TEXTS,
  },
}

/** The fallback for an evaluation that could not be used: nothing is known to be right. */
export const UNUSABLE_EVALUATION: Evaluation = Object.freeze({
  overall_score: 0,
  is_successful: false,
  dimensions: { completeness: 0, correctness: 0, efficiency: 0, reliability: 0 },
  successes: [],
  failures: ['The evaluation could not be used'],
  improvement_suggestions: [],
  unusable: true,
})

/** An object that fits {@link EVALUATION_SCHEMA}, with scores as numbers of 0 to 100. */
export function readEvaluation(value: JsonObject): Evaluation {
  const given = own(value, 'dimensions')
  const dimensions = isJsonObject(given) ? given : {}
  const id = own(value, 'evaluation_id')
  const scoreOf = (name: Dimension) => readScore(own(dimensions, name))
  return {
    ...(typeof id === 'string' && { evaluation_id: id }),
    overall_score: readScore(own(value, 'overall_score')),
    is_successful: own(value, 'is_successful') === true,
    dimensions: {
      completeness: scoreOf('completeness'),
      correctness: scoreOf('correctness'),
      efficiency: scoreOf('efficiency'),
      reliability: scoreOf('reliability'),
    },
    successes: readTexts(own(value, 'successes')),
    failures: readTexts(own(value, 'failures')),
    improvement_suggestions: readTexts(own(value, 'improvement_suggestions')),
  }
}

/** 95, "95" and "95%" are 95. 0.95 stays 0.95: of a hundred it is a legal score. */
export function readScore(value: JsonValue | undefined): number {
  const score = typeof value === 'string' ? Number.parseFloat(value) : Number(value)
  return Number.isNaN(score) ? 0 : Math.min(100, Math.max(0, score))
}

/** The texts of a list; an empty list for any other value. */
export function readTexts(value: JsonValue | undefined): readonly string[] {
  return isJsonList(value) ? textsOf(value) : []
}
