// The socket's place in the file system: a socket of another process is never taken over, and only the panel's group
// may connect.
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, unlink } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'

/** Refuses where another helper answers on the path; a socket that a killed helper left behind is removed. */
export async function listenOn(server: Server, path: string, group: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  if (existsSync(path)) {
    if (await answers(path)) throw new Error(`Another helper is already listening on ${path}`)
    await unlink(path)
  }
  // Made for its owner alone, and opened to the group only once the group is set.
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  } finally {
    process.umask(before)
  }
  if (group === '') return
  await chown(path, process.getuid?.() ?? 0, await groupId(group))
  await chmod(path, 0o660)
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
    probe.once('connect', () => probe.destroy())
  })

/** A name as group(5) lists it, or a number. */
async function groupId(group: string): Promise<number> {
  if (/^[0-9]+$/.test(group)) return Number(group)
  const lines = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'))
  const id = lines.find(([name]) => name === group)?.[2]
  if (id === undefined) throw new Error(`PANEL_HELPER_GROUP names ${group}, and there is no such group`)
  return Number(id)
}
