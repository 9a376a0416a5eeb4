// Root's log: JSON lines on stderr, which journald keeps.
export function log(level: 'info' | 'warning' | 'error', message: string, more: Record<string, unknown> = {}): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...more })}\n`)
}
