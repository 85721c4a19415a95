import { helpOf } from '../src/cli/command-help.js'
import { COMMANDS, GROUPS } from '../src/cli/commands.js'

/** What every command prints for `--help`, by what commands are for. */
export async function commandHelp(): Promise<string> {
  const helped = await Promise.all(
    COMMANDS.map(async ({ name, group, load }) => ({ name, group, help: helpOf(await load()) })),
  )
  return GROUPS.map((group) => {
    const ofGroup = helped.filter((command) => command.group === group)
    const texts = ofGroup.map(({ name, help }) => `### \`${name}\`\n\n\`\`\`text\n${help}\n\`\`\``)
    return [`## ${group}`, ...texts].join('\n\n')
  }).join('\n\n')
}
