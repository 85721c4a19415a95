// Shows: a prompt of several roles, composed from templates, checked, and put to a model.
import { LlmCycle } from 'ai-prompt-shell/agent'
import { PromptComposer, PromptTemplate, TemplateContext, validateMessages } from 'ai-prompt-shell/prompt'
import { createScriptedModel } from 'ai-prompt-shell/testing'

const question = PromptTemplate.compile(
  '你是{{role}}。请回答以下问题:\n{{#if context}}参考背景:{{context}}\n{{/if}}提问:{{question}}',
)
const context = new TemplateContext()
context.insert('role', '资深工程师')
context.insert('question', 'Rust 的所有权规则是什么?')
context.insert('context', '用户有 Java 背景')

const messages = new PromptComposer().system('请用一句话回答。').userTemplate(question, context).build()
validateMessages(messages)

const model = createScriptedModel(['每个值有且只有一个所有者，离开作用域即被释放。'])
const cycle = new LlmCycle(model, { model: 'scripted' })
const { text } = await cycle.submitMessages(messages)

for (const { role, content } of cycle.messages) {
  console.log(`${role}: ${typeof content === 'string' ? content : content.map((part) => part.text).join('')}`)
}
console.log('answer:', text)
