// Shows: a conversation with every role: shared beginning, names, an image, a tool call and its result.
import { imagePart, PromptComposer, PromptTemplate, textPart, toWireMessages } from 'ai-prompt-shell/prompt'

// A composer is immutable: two conversations share this beginning.
const common = new PromptComposer()
  .system('You review user interfaces.')
  .developer('Answer in plain words. Name the file of every finding.')

const question = PromptTemplate.compile(
  'Look at {{page}}.{{#if rules}} Check:\n{{#each rules}}- {{item}}\n{{/each}}{{/if}}',
)

const review = common
  .userContents([
    textPart(question.render({ page: 'the login page', rules: ['contrast', 'focus order'] })),
    imagePart('https://example.org/login.png', 'low'),
  ])
  .withName('ann')
  .assistantToolCalls([
    { id: 'call_1', type: 'function', function: { name: 'measure_contrast', arguments: '{"page":"login"}' } },
  ])
  .tool('call_1', '{"button":2.9,"text":7.1}')

const followUp = common.userTemplate(question, { page: 'the settings page', rules: [] })

console.log(JSON.stringify(toWireMessages(review.build()), null, 2))
console.log(JSON.stringify(toWireMessages(followUp.build()), null, 2))
