// Whether the lab can run on this host, for a test tier that says why it is skipped.
import { exists } from './cache.ts'
import { missingPackages } from './host.ts'
import { imageFolder } from './image.ts'

/** Undefined when the lab can run; else what to do about it. */
export async function whyNot(): Promise<string | undefined> {
  const missing = await missingPackages()
  if (missing.length > 0) return `the lab needs: apt-get install --no-install-recommends ${missing.join(' ')}`
  if (process.getuid?.() === 0 || (await exists(await imageFolder()))) return undefined
  return "building the lab's machine needs root, once: run `npx tsx test/vm/lab/shell.ts true` with sudo"
}
