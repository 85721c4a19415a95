import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useShell } from '../shell.js'
import { Problem } from './problem.js'

/** A part whose script is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Lazy(props: Props) {
    const { say } = useShell()
    const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<Props> }>()
    const [error, setError] = useState<unknown>()
    useEffect(() => {
      load().then((Part) => setLoaded({ Part }), setError)
    }, [])
    if (error !== undefined) return <Problem error={error} />
    if (loaded === undefined) return <p class="quiet">{say('loading')}</p>
    return <loaded.Part {...props} />
  }
}
