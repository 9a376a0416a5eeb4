// Output of a command.
export function printLine(line: string): boolean {
  return process.stdout.write(`${line}\n`)
}
