/** Keeps the answer of a question, where there is one, and returns what is known; that question is now the newest. */
export type LastAnswers<Answer> = (question: string, answer?: Answer) => Answer | undefined

/** Remembers at most this many answers; the one that was not asked for longest goes first. */
export function rememberLast<Answer>(most: number): LastAnswers<Answer> {
  const answers = new Map<string, Answer>()
  return (question, answer = answers.get(question)) => {
    if (answer) {
      answers.delete(question)
      answers.set(question, answer)
      for (const oldest of answers.keys()) if (answers.size > most) answers.delete(oldest)
    }
    return answer
  }
}
