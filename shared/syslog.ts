// Lines of a log in the journal: a number in angle brackets before each says how bad it is (sd-daemon(3)), so that
// `journalctl -p err` shows errors alone.

/** RFC 5424, 6.2.1. */
const PRIORITIES = { error: 3, warning: 4, info: 6, debug: 7 } as const
export type LogLevel = keyof typeof PRIORITIES

/** systemd names the device and the inode of the stream that the journal reads, as text. */
export const isOfJournal = (stream: string | undefined, { dev, ino }: { dev: number; ino: number }): boolean =>
  stream === `${dev}:${ino}`

export const journalPrefix = (level: LogLevel): string => `<${PRIORITIES[level]}>`
