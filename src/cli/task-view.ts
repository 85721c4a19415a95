import type { Evaluation } from '../tasks/evaluation.js'
import type { TaskEvent } from '../tasks/task-event.js'
import type { WireStep } from '../tasks/wire-plan.js'
import { fitting, printable } from './printable.js'

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

const CODES: Readonly<Record<Colour, number>> = { green: 32, red: 31, yellow: 33, cyan: 36, dim: 2, bold: 1 }

const MARKS: Readonly<Record<WireStep['status'], readonly [mark: string, colour: Colour]>> = {
  pending: ['·', 'dim'],
  running: ['▸', 'cyan'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  skipped: ['-', 'dim'],
}

/** A line, and how it looks as a whole. */
type Line = readonly [text: string, colour?: Colour]

/** A round as far as its events have arrived. */
interface Round {
  readonly number: number
  phase: string
  readonly steps: Map<string, WireStep>
  /** What the turn of a step last called. */
  readonly calls: Map<string, string>
  readonly notes: Line[]
  evaluation?: Evaluation
  readonly causes: string[]
}

/** What a task looks like on a terminal, from its events. */
export class TaskView {
  readonly #title: string
  readonly #rounds: Round[] = []
  #questions: readonly Line[] = []
  #end: Line | undefined

  constructor(title: string) {
    this.#title = printable(title)
  }

  add(event: TaskEvent): void {
    if ('result' in event) this.#end = endOf(event)
    else if (event.type === 'approval.required') this.#questions = [...this.#questions, questionOf(event)]
    else if (event.type === 'approval.resolved') this.#questions = []
    else if ('round' in event) addToRound(this.#round(event.round), event)
  }

  /** The whole of it, no line wider than the columns. */
  lines(columns: number, colors: boolean): readonly string[] {
    const ends: readonly Line[] = this.#end === undefined ? this.#questions : [this.#end]
    const all: readonly Line[] = [[this.#title, 'bold'], ...this.#rounds.flatMap(linesOfRound), ...ends]
    return all.map(([text, colour]) => {
      const fits = fitting(text, columns)
      return colors && colour !== undefined ? `\u001b[${CODES[colour]}m${fits}\u001b[0m` : fits
    })
  }

  #round(number: number): Round {
    const known = this.#rounds.find((round) => round.number === number)
    if (known !== undefined) return known
    const round: Round = { number, phase: '', steps: new Map(), calls: new Map(), notes: [], causes: [] }
    this.#rounds.push(round)
    return round
  }
}

function addToRound(round: Round, event: Extract<TaskEvent, { round: number }>): void {
  if (event.type === 'phase.started') round.phase = event.phase
  if (event.type === 'plan') for (const step of event.plan.steps) round.steps.set(step.id, step)
  if (event.type === 'plan.refused')
    round.notes.push([`  refused: ${printable(event.error.message)}`, 'yellow'])
  if (event.type === 'step.updated') round.steps.set(event.step.id, event.step)
  if (event.type === 'tool.called') round.calls.set(event.step_id, event.call.name)
  if (event.type === 'evaluation') round.evaluation = event.evaluation
  if (event.type === 'reflection') round.causes.push(...event.reflection.root_causes)
}

function linesOfRound(round: Round): readonly Line[] {
  const { number, phase, notes, steps, evaluation, causes } = round
  return [
    [`round ${number} · ${phase}`, 'bold'],
    ...notes,
    ...[...steps.values()].map((step) => lineOfStep(step, round.calls.get(step.id))),
    ...(evaluation === undefined ? [] : [lineOfScores(evaluation)]),
    ...causes.map((cause): Line => [`  because ${printable(cause)}`, 'yellow']),
  ]
}

function lineOfStep({ id, description, status, attempts, error, because }: WireStep, call?: string): Line {
  const [mark, colour] = MARKS[status]
  const tries = attempts > 1 ? ` (attempt ${attempts})` : ''
  const calling = status === 'running' && call !== undefined ? ` → ${call}` : ''
  const problem = error === undefined ? '' : `: ${error.code}, ${error.message}`
  const reason = because === undefined ? '' : `: ${because} failed`
  return [`  ${mark} ${printable(`${id}  ${description}${tries}${calling}${problem}${reason}`)}`, colour]
}

function lineOfScores({ overall_score: overall, dimensions, is_successful: good }: Evaluation): Line {
  const scores = Object.entries(dimensions).map(([name, score]) => `${name} ${score}`)
  return [`  overall ${overall} · ${scores.join(' · ')}`, good ? 'green' : 'yellow']
}

function questionOf({ approval }: Extract<TaskEvent, { type: 'approval.required' }>): Line {
  return [`waits for approval of ${printable(approval.tool)}: ${approval.id}`, 'yellow']
}

/** How a task ended, in one line. */
export function endOf({ type, result, error }: Extract<TaskEvent, { result: unknown }>): Line {
  const status = type.slice('task.'.length)
  const problem = error === undefined ? '' : `, ${error.code}: ${printable(error.message)}`
  const rounds = result.rounds === 1 ? '1 round' : `${result.rounds} rounds`
  return [`${status}: ${result.ended_by} after ${rounds}${problem}`, status === 'completed' ? 'green' : 'red']
}
