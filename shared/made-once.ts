// Makes something again only where what it is made of has changed.

/** More names than one host has of links, tunnels and their files; beyond it what was made is forgotten. */
const MOST = 5000

/**
 * Under each name the value that was made last, as long as all inputs are the very ones of then, or what is made of
 * others is the same as JSON. An input is compared as === does, so nobody writes to one, nor to the value.
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
