// What a command tells whoever typed it.
export const say = (line: string): boolean => process.stdout.write(`${line}\n`)
