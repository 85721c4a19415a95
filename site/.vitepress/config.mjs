import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitepress'
import { PAGES } from '../collect.mjs'
import { ENTRIES } from '../library-entries.mjs'

const root = resolve(import.meta.dirname, '../..')
/** Endings of files, beside those that VitePress knows: links with any other ending are looked for among the pages. */
process.env.VITE_EXTRA_EXTENSIONS = 'py,pyi'
/** Where the site lives, for sites below a path. */
const base = process.env.SITE_BASE ?? '/'
const FOLDERS = ['start', 'guides', 'reference', 'explain']
const TITLES = {
  en: { start: 'Start', guides: 'Guides', reference: 'Reference', explain: 'Explanation' },
  zh: { start: '入门', guides: '指南', reference: '参考', explain: '原理' },
}

/** The first heading of a page. */
function titleOf(file) {
  return /^# (.*)$/m.exec(readFileSync(resolve(root, file), 'utf8'))?.[1].replaceAll('`', '') ?? file
}

/** Pages in the order of docs/README.md, those of a folder together; in Chinese where there is a page, else in English. */
function sidebar(language) {
  const listed = [
    ...readFileSync(resolve(root, 'docs/README.md'), 'utf8').matchAll(/\]\(([a-z]+\/[^)#]+\.md)/g),
  ].map(([, path]) => `docs/${path}`)
  const files = [...new Set([...listed, ...PAGES.keys()])].filter((file) => PAGES.get(file)?.endsWith('.md'))
  return FOLDERS.map((folder) => ({
    text: TITLES[language][folder],
    collapsed: false,
    items: [...pagesOf(folder, files, language), ...(folder === 'reference' ? [LIBRARY] : [])],
  }))
}

/** What TypeDoc writes. */
const LIBRARY = {
  text: 'Library API',
  link: '/reference/api/',
  collapsed: true,
  items: ENTRIES.map(({ name, page }) => ({ text: name, link: `/reference/api/${page}` })),
}

function pagesOf(folder, files, language) {
  return files
    .filter(
      (file) =>
        file.startsWith(`docs/${folder}/`) && !file.includes('decisions/0') && !file.endsWith('.zh-CN.md'),
    )
    .map((file) => {
      const chinese = file.replace(/\.md$/, '.zh-CN.md')
      const shown = language === 'zh' && PAGES.has(chinese) ? chinese : file
      return { text: titleOf(shown), link: `/${PAGES.get(shown).replace(/\.md$/, '')}` }
    })
}

/** The id of a heading as GitHub makes it, so that a link to a part of a page is right in both places. */
function headingId(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

export default defineConfig({
  base,
  srcDir: 'pages',
  srcExclude: ['public/**'],
  outDir: 'dist',
  // `{{ … }}` of our pages is a template of ours, never one of the site.
  vue: { template: { compilerOptions: { delimiters: ['[[[site', 'site]]]'] } } },
  markdown: { languageAlias: { mjs: 'js' }, anchor: { slugify: headingId } },
  title: 'AI-Prompt-Shell',
  description: 'A service for prompts, agents and tasks',
  cleanUrls: true,
  lastUpdated: false,
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: sidebar('en') } },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      themeConfig: {
        sidebar: sidebar('zh'),
        outline: { label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
      },
    },
  },
  themeConfig: {
    // Not every page is in both languages: the switch leads to the first page.
    i18nRouting: false,
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/tour' },
      { text: 'Pages', link: '/pages' },
      { text: 'Changes', link: '/changelog' },
      { text: 'llms.txt', link: `${base}llms.txt`, target: '_self' },
    ],
    search: {
      provider: 'local',
      options: {
        locales: {
          zh: { translations: { button: { buttonText: '搜索' }, modal: { noResultsText: '没有结果' } } },
        },
      },
    },
  },
})
