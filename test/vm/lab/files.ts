// Files and folders between the host and the machine, as tar archives through the command channel.
import { execFile } from 'node:child_process'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Commands } from './commands.ts'

const transferMs = 600_000

/**
 * Host to machine: a folder's content lands in the folder `to`, a file becomes the file `to`. Everything belongs to
 * root there.
 */
export async function put(machine: Commands, to: string, from: string): Promise<void> {
  const found = await stat(from)
  if (found.isDirectory()) return putFolder(machine, to, from)
  await putFile(machine, to, await readFile(from), found.mode & 0o7777)
}

export async function putFile(
  machine: Commands,
  to: string,
  content: string | Uint8Array,
  mode = 0o644,
): Promise<void> {
  const script = 'mkdir -p "$1" && cat > "$2" && chmod "$3" "$2"'
  const names = [posix.dirname(to), to, mode.toString(8)]
  await machine.run('sh', ['-c', script, 'sh', ...names], { stdin: content, timeoutMs: transferMs })
}

async function putFolder(machine: Commands, to: string, from: string): Promise<void> {
  const archive = await tar(['-C', from, '-cf', '-', '.'])
  const script = 'mkdir -p "$1" && tar --no-same-owner -C "$1" -xf -'
  await machine.run('sh', ['-c', script, 'sh', to], { stdin: archive, timeoutMs: transferMs })
}

/** Machine to host: the content of the folder `from` lands in the folder `to`. */
export async function getFolder(machine: Commands, from: string, to: string): Promise<void> {
  const archive = await machine.bytes('tar', ['-C', from, '-cf', '-', '.'], { timeoutMs: transferMs })
  await mkdir(to, { recursive: true })
  await tar(['--no-same-owner', '-C', to, '-xf', '-'], archive)
}

function tar(args: readonly string[], input: Uint8Array = Buffer.alloc(0)): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', maxBuffer: 2 ** 31 } as const
    const child = execFile('tar', args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`tar ${args.join(' ')}: ${stderr.toString() || error.message}`))
    })
    child.stdin?.on('error', () => undefined) // tar stops reading when it fails, and says why, or at the archive's end mark
    child.stdin?.end(input)
  })
}
