import { useShell } from '../shell.js'

interface CopyButtonProps {
  readonly label: string
  readonly text: () => string | Promise<string>
}

/** Puts a text on the clipboard and says so. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const { say, notice } = useShell()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text())
      notice.value = say('copied')
    } catch {
      notice.value = say('notCopied')
    }
  }
  return (
    <button type="button" onClick={copy}>
      {label}
    </button>
  )
}
