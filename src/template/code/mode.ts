import type { Constants } from './constants.js'

/** What differs between the two ways a program is written: for a render that waits for nothing, and for one that may. */
export interface Mode {
  /** What each function starts with. */
  readonly keyword: string
  /** The keyword before work that is done in steps. */
  readonly steps: string
  /** Static text may stay due, to be joined with the text after it: nothing lets others run in between. */
  readonly joinsTexts: boolean
  /** An expression after which a local holds no result that is still under way; empty where none has to wait. */
  readonly settle: (local: string, constants: Constants) => string
  /** Behind the print of a value: prints what is too large to be printed in one go. */
  readonly printLarge: string
  /** Counts a round of a loop, and looks whether others shall run. */
  readonly tick: (site: string) => string
  /** Lets others run once the time slice is used up. */
  readonly pause: (site: () => string) => string
  /** Lets others run, once the time slice is used up, before a part of a large program is compiled. */
  readonly pauseToCompile: (site: string) => string
}

/** The first attempt of every render: what has to wait ends it. */
const SYNCHRONOUS: Mode = {
  keyword: 'function',
  steps: '',
  joinsTexts: true,
  settle: () => '',
  printLarge: '',
  tick: (site) => `if(--budget.steps<0||out.length>budget.maxOutput)out=run.tick(out,${site});`,
  pause: () => '',
  pauseToCompile: (site) => `run.budget.clock(${site});`,
}

/** The second attempt, which waits for results and yields to others. */
const COOPERATIVE: Mode = {
  keyword: 'function*',
  steps: 'yield*',
  joinsTexts: false,
  settle: (local, constants) =>
    `${local} instanceof ${constants.use('Pending')}&&(${local}=yield*run.need(${local}))`,
  printLarge: 'if(run.output.large!==null)out=yield*run.printLarge(out);',
  tick: (site) =>
    `if(--budget.steps<0||budget.work<0||out.length>budget.maxOutput)out=yield*run.pause(out,${site});`,
  pause: (site) => `if(budget.work<0)out=yield*run.pause(out,${site()});`,
  pauseToCompile: (site) => `out=yield*run.pause(out,${site});`,
}

/** The way a program is written. */
export function modeOf(asynchronous: boolean): Mode {
  return asynchronous ? COOPERATIVE : SYNCHRONOUS
}
