// Groups the rows of a query by the record that they belong to.
export function groupedBy<K extends string, R extends Record<K, number>>(key: K, rows: readonly R[]): Map<number, R[]> {
  const groups = new Map<number, R[]>()
  for (const row of rows) {
    const others = groups.get(row[key])
    if (others) others.push(row)
    else groups.set(row[key], [row])
  }
  return groups
}
