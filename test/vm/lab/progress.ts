// Lines on stderr that say which slow step runs and how long the one before took.
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  process.stderr.write(`lab: ${what} ...\n`)
  const result = await work()
  process.stderr.write(`lab: ${what}: ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return result
}
