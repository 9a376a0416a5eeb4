// An error of a command, with a message for the operator.

export class CommandError extends Error {
  readonly exitCode: number

  /** Exit code 2 means wrong usage. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}
