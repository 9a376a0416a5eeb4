// Proposes the tunnel that leads to the destinations of a new rule, until the operator chooses one.
import { call } from '../../core/api.ts'
import type { Form } from '../../core/form.svelte.ts'
import type { RouteValues } from './draft.ts'

const PAUSE_MS = 250
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

export const isAddress = (text: string): boolean =>
  IPV4.test(text) || (text.includes(':') && URL.canParse(`http://[${text}]`))

/** Each once, as typed. */
export const destinationsIn = ({ destinations }: Pick<RouteValues, 'destinations'>): string[] => [
  ...new Set(
    destinations
      .filter(({ is_enabled }) => is_enabled)
      .map(({ address }) => address.trim())
      .filter((text) => text !== ''),
  ),
]

const tunnelTo = async (addresses: readonly string[]): Promise<number | null> => {
  const found = await Promise.all(addresses.map((address) => call('GET /routes/path', { query: { address } })))
  const [first, ...others] = new Set(found.map(({ tunnel_id }) => tunnel_id))
  return first !== undefined && others.length === 0 ? first : null
}

interface Proposal {
  readonly isProposed: boolean
  /** Resolves once what is typed now has its proposal. */
  readonly settled: () => Promise<void>
}

/** Call in a component's script. */
export const proposeTunnel = (form: Form<RouteValues>): Proposal => {
  let proposed = $state<number | null>(null)
  const isUntouched = $derived(form.values.tunnel_id === proposed)
  const addresses = $derived(destinationsIn(form.values))
  const propose = async (wanted: readonly string[], { signal }: AbortController): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (signal.aborted) return
    // A proposal is a help: without an answer the operator chooses.
    const tunnel_id = await tunnelTo(wanted).catch(() => null)
    if (signal.aborted || !isUntouched) return
    proposed = tunnel_id
    form.suggest('tunnel_id', tunnel_id)
  }
  let pending = Promise.resolve()
  $effect(() => {
    if (!addresses.every(isAddress)) return
    const stop = new AbortController()
    pending = propose(addresses, stop)
    return () => stop.abort()
  })
  return {
    get isProposed() {
      return proposed !== null && isUntouched
    },
    settled: () => pending,
  }
}
