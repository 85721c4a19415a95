import { useSignalEffect } from '@preact/signals'
import { useShell } from '../shell.js'

const SHOWN_MS = 3_000

/** Says for a moment what just happened. */
export function Notice() {
  const { notice } = useShell()
  useSignalEffect(() => {
    if (notice.value === '') return
    const timer = setTimeout(() => {
      notice.value = ''
    }, SHOWN_MS)
    return () => clearTimeout(timer)
  })
  return (
    <div class={notice.value === '' ? 'notice' : 'notice shown'} role="status">
      {notice.value}
    </div>
  )
}
