// Another one after each boot.
import { readFile } from 'node:fs/promises'

export const bootId = async (): Promise<string> => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
