/** The six prompts as a programmer would write them without any template engine: the mark to reach. */
export const writtenByHand = {
  short: (data) => `Translate to ${data.language} in a ${data.tone} tone:\n\n${data.text}\n`,

  review(data) {
    let text = `# Review: ${data.title}\n${data.strict ? `Be strict and focus on ${data.focus}.` : 'Be kind.'}\n`
    for (const file of data.files) {
      text += `\n## ${file.path} ${file.isNew ? '(new)' : `(+${file.added} -${file.removed})`}\n${file.diff}\n`
    }
    return text
  },

  fewShot(data) {
    let text = `${data.task}\n`
    for (const example of data.examples) {
      text += `Q: ${example.question}\n`
      for (const answer of example.answers) text += `- ${answer.label}: ${answer.score}\n`
    }
    return `${text}Done.\n`
  },

  /** The fixed text is long: it is made once, with the five holes between. */
  system(inParagraphs) {
    const [a, b, c, d, e, f] = inParagraphs(['\0', '\0', '\0', '\0', '\0']).split('\0')
    return (data) =>
      `${a}${data.product}${b}${data.company}${c}${data.audience}${d}${data.date}${e}${data.language}${f}`
  },

  history(data) {
    let text = ''
    for (const message of data.messages) {
      const speaker = message.role === 'user' ? 'User' : 'Assistant'
      text += `${speaker} [${String(message.number).padStart(3)}]: ${message.content}\n`
    }
    return text
  },

  components(data) {
    const tool = (it) => `* ${it.name}(${it.argument}): ${it.about}\n`
    let text = 'Tools:\n'
    for (const it of data.tools) text += tool(it)
    return text
  },
}
