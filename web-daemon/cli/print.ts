// What a command tells whoever typed it.
export const printLine = (line: string): boolean => process.stdout.write(`${line}\n`)
