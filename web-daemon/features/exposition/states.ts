// One sample for each state that something can be in: 1 for its own, 0 for the others.
import { labels, type Sample } from './format.ts'

/** Made once for each family, since the text of the labels is most of the work. */
export function statesOf(label: string, states: readonly string[]): (id: number, own: string) => Sample[] {
  const endings = states.map((state) => [state, labels({ state }).slice(1)] as const)
  return (id, own) =>
    endings.map(([state, ending]) => ({ labels: `{${label}="${id}",${ending}`, value: state === own ? 1 : 0 }))
}
