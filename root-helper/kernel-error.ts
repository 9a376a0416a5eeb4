// What the kernel refused, wherever it was asked: by netlink, by a program, by a file.

/** A refusal by the kernel: `code` is the errno's name ("EEXIST"), `message` says what was tried and the kernel's own words where it gave any. */
export class KernelError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'KernelError'
    this.code = code
  }
}
