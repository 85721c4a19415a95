import type { CliContext } from './command.js'

/** The next line of a person; undefined when there is nobody, or when a signal ends the command. */
export async function askLine(
  question: string,
  { ask, signals }: Pick<CliContext, 'ask' | 'signals'>,
): Promise<string | undefined> {
  const end = signals?.end
  if (ask === undefined || end === undefined) return ask?.(question)
  if (end.aborted) return undefined
  let giveUp = () => {}
  const ended = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined)
  })
  end.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([ask(question), ended])
  } finally {
    end.removeEventListener('abort', giveUp)
  }
}
