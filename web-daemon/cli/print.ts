// Output of a command.
export const printLine = (line: string): boolean => process.stdout.write(`${line}\n`)
