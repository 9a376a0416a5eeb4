// Text for answers and for the log.

/** What goes on the wire is one bounded line. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 2000)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
