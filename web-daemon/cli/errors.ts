// What a command cannot do, in words for the operator.

export class CommandError extends Error {
  readonly exitCode: number

  /** 2: it was called the wrong way. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}
