// Keeps the helper's log lines out of the picture of a test run, and hands them to the test that wants them.
export function quietly(): string[] {
  const lines: string[] = []
  const write = process.stderr.write.bind(process.stderr)
  before(() => {
    process.stderr.write = ((text: string) => lines.push(String(text)) > 0) as typeof process.stderr.write
  })
  after(() => {
    process.stderr.write = write
  })
  return lines
}
