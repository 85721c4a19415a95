import type { AnsweringModel, CallReport } from '../llm/model.js'

/** A model whose calls are added up. */
export interface CountingModel {
  readonly model: AnsweringModel
  /** Of all calls so far: attempts and times are sums, the rest is the newest call's. */
  report(): CallReport
  /** In the currency of the configured prices; undefined where one call has none. */
  cost(): number | undefined
}

/** Adds up the calls of a model that make one answer. @param name of the answering model, while there was no call */
export function countCalls(model: AnsweringModel, name: string): CountingModel {
  let report: CallReport = { upstream: 'none', model: name, attempts: 0, upstreamMs: 0 }
  const costs: (() => number | undefined)[] = []
  const add = (next: CallReport, cost: () => number | undefined) => {
    report = {
      ...next,
      attempts: report.attempts + next.attempts,
      upstreamMs: report.upstreamMs + next.upstreamMs,
    }
    costs.push(cost)
  }
  return {
    model: {
      async complete(request, options) {
        const completion = await model.complete(request, options)
        add(completion.report, () => completion.cost)
        return completion
      },
      async stream(request, options) {
        const stream = await model.stream(request, options)
        add(stream.report, () => stream.cost?.())
        return stream
      },
    },
    report: () => report,
    cost: () => sumOf(costs.map((each) => each())),
  }
}

function sumOf(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    costs.length === 0 ? undefined : 0,
  )
}
