// Makes something again only where what it is made of has changed.

/** More names than one host has of links, tunnels and their files; beyond it what was made is forgotten. */
const MOST = 5000

/**
 * Returns the value that was last made under a name, as long as all inputs are the same objects, or values made here that
 * are equal as JSON. Inputs are compared by ===, so neither they nor the value may be written to.
 */
export function madeOnce<V>(): (name: string, inputs: readonly unknown[], make: () => V) => V {
  const made = new Map<string, { inputs: readonly unknown[]; value: V }>()
  return (name, inputs, make) => {
    const before = made.get(name)
    if (before && isSame(before.inputs, inputs)) return before.value
    const next = make()
    const value = before && JSON.stringify(before.value) === JSON.stringify(next) ? before.value : next
    if (!before && made.size >= MOST) made.clear()
    made.set(name, { inputs, value })
    return value
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])
