// Shows: what is wrong with a conversation, all at once, and what templates and values fail with.
import {
  PromptComposer,
  PromptError,
  PromptTemplate,
  PromptTemplateRegistry,
  validateMessages,
} from 'ai-prompt-shell/prompt'

const good = new PromptComposer().system('Be brief.').user('Hello').assistant('Hi').user('Bye')
validateMessages(good.build())
console.log('a valid conversation')

/** Runs what fails and prints the kind, the code and the message of the failure. */
async function show(action) {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof PromptError)) throw error
    console.log(`${error.kind} (${error.code}): ${error.message}`)
    for (const { index, reason } of error.kind === 'InvalidSequence' ? error.details : []) {
      console.log(`  message ${index}: ${reason}`)
    }
  }
}

await show(() => validateMessages([]))
await show(() => validateMessages(new PromptComposer().user('a').user('b').tool('call_1', 'c').build()))
await show(() => PromptTemplate.compile('Dear {{#if name}}{{name}},'))
await show(() => PromptTemplate.compile('Dear {{person.name}},').render({ person: {} }))
await show(() => PromptTemplate.compile('{{#each names}}{{item}}{{/each}}').render({ names: 'Ada' }))
await show(() => PromptTemplate.compile('{{> header}}').render({}))
await show(() =>
  new PromptTemplateRegistry().register('a', '{{> b}}').register('b', '{{> a}}').render('a', {}),
)
await show(() => PromptTemplate.compile('{{when}}').render({ when: new Date(0) }))
