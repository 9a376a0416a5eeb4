// What of some values was changed; pure, for tests.
export interface ChangedValue {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const without = (items: readonly unknown[], others: readonly unknown[]): readonly unknown[] =>
  items.filter((item) => !others.some((other) => same(item, other)))

/** In the order of the values. A list has the items alone that differ, unless only their order does. */
export const changedValues = <V extends object>(base: V, values: V): ChangedValue[] =>
  Object.entries(values).flatMap(([name, after]): ChangedValue[] => {
    const before: unknown = base[name as keyof V]
    if (same(before, after)) return []
    if (!Array.isArray(before) || !Array.isArray(after)) return [{ name, before, after }]
    const [gone, added] = [without(before, after), without(after, before)]
    return [gone.length + added.length > 0 ? { name, before: gone, after: added } : { name, before, after }]
  })
