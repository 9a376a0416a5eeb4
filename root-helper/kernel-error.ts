// A refusal by the kernel, whether it came through netlink, from a program or from a file.

/**
 * A refusal by the kernel: `code` is the errno's name ("EEXIST"), `message` says what was tried and, where there is
 * one, the kernel's own text.
 */
export class KernelError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'KernelError'
    this.code = code
  }
}

/** Null where the kernel has nothing of that name (ENOENT). */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ENOENT') return null
    throw error
  }
}
