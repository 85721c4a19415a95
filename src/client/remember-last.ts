/** Keeps the answers that were needed last. */
export interface LastAnswers<Answer> {
  keep(question: string, answer: Answer): void
  find(question: string): Answer | undefined
}

/** Remembers at most this many answers; the one that was not asked for longest goes first. */
export function rememberLast<Answer>(most: number): LastAnswers<Answer> {
  const answers = new Map<string, Answer>()
  const keep = (question: string, answer: Answer) => {
    answers.delete(question)
    answers.set(question, answer)
    for (const oldest of answers.keys()) if (answers.size > most) answers.delete(oldest)
  }
  return {
    keep,
    find(question) {
      const answer = answers.get(question)
      if (answer) keep(question, answer)
      return answer
    },
  }
}
