// Reads and cuts CHANGELOG.md, whose form is that of keepachangelog.com: `## Unreleased`, then `## 1.2.3 - 2027-01-31`.

/** What the change log says of a version, without its heading. @throws Error where there is no such version, or nothing */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.split(/\s/)[0] === version)
  const notes = section?.slice(section.indexOf('\n') + 1).trim() ?? ''
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`)
  return `${notes}\n`
}

/** Makes a version of what is not released. @throws Error where that is nothing */
export function cutVersion(changelog, version, date) {
  notesOf(changelog, 'Unreleased')
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`)
}
