// Everything that a command prints. What comes from the store, the daemon or the helper must not steer the reader's
// terminal, which is root's as a rule.

/** Control characters (a line end and a tab in a text of several lines aside), and those that turn the direction. */
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Shows control characters in JSON's notation, so that nothing is lost and JSON stays JSON. */
export function visible(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** One line, whatever is in it. */
export function printLine(line: string): boolean {
  return printText(`${line.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}\n`)
}

/** A text of our own with several lines. */
export function printText(text: string): boolean {
  return process.stdout.write(visible(text))
}

export function printError(text: string): boolean {
  return process.stderr.write(visible(text))
}

/** Null where the output does not go to a terminal. One that does not say how wide it is has 80 columns. */
export function terminalWidth(): number | null {
  return process.stdout.isTTY ? process.stdout.columns || Number(process.env['COLUMNS']) || 80 : null
}

/** A reader such as head(1) that has seen enough is no failure, and ends no command halfway. */
export function onOutputFailure(fail: (failure: Error) => void): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') fail(failure)
  })
}
