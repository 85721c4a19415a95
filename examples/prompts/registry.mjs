// Shows: templates by name that include each other, compiled lazily, read from a file, in both dialects.
import { PromptTemplate, PromptTemplateRegistry } from 'ai-prompt-shell/prompt'

const registry = new PromptTemplateRegistry()
  .register('header', '# {{title}}\n')
  .registerLazy('finding', '{{item.file}}:{{item.line}} {{item.text}}\n')
  .register(
    'report',
    '{{> header}}{{#if findings}}{{#each findings}}{{> finding}}{{/each}}{{else}}Nothing found.\n{{/if}}{{> footer}}',
  )
await registry.registerFile('footer', new URL('footer.hbs', import.meta.url))

const findings = [
  { file: 'login.ts', line: 12, text: 'password is logged' },
  { file: 'login.ts', line: 40, text: 'promise is not awaited' },
]
console.log(registry.render('report', { title: 'Review of login', findings, answer: '\\boxed' }))
console.log(registry.render('report', { title: 'Review of logout', findings: [], answer: '\\boxed' }))

// A Go template has a name in the same registry, and can be included like the others.
registry.register(
  'footer',
  PromptTemplate.compile('{{len .findings | printf "%03d"}} findings', { dialect: 'go' }),
)
console.log(registry.render('report', { title: 'Review of login', findings }))
