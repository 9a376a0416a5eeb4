// An error of a command, with a message for the operator.

/** The exit code where the panel does not answer. */
export const NO_ANSWER = 5

export class CommandError extends Error {
  readonly exitCode: 1 | 2 | 3 | 4 | 5

  /** 2: wrong usage, 3: not allowed, 4: there is no such thing, 5: the panel does not answer. */
  constructor(message: string, exitCode: 1 | 2 | 3 | 4 | 5 = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}
