// `npx tsx test/vm/lab/shell.ts [command ...]`: a fresh machine with a shell in it, or with one command run in it.
import { startLab } from './index.ts'
import type { Running } from './running.ts'

const lab = await startLab()
const command = process.argv.slice(2)
const running = command.length > 0 ? lab.spawn(command.join(' ')) : interactive()
process.exitCode = await attached(running)
await lab.stop()
process.exit()

// script(1) gives the shell a terminal of its own in the machine, of this terminal's size.
function interactive(): Running {
  process.stderr.write('lab: a fresh machine, forgotten when you leave (exit or ctrl-d)\n')
  const { rows = 24, columns = 80 } = process.stdout
  const env = { TERM: process.env['TERM'] ?? 'xterm' }
  return lab.spawn(`exec script -qfc 'stty rows ${String(rows)} columns ${String(columns)}; exec bash -l' /dev/null`, {
    env,
  })
}

async function attached(running: Running): Promise<number> {
  running.stdout.pipe(process.stdout, { end: false })
  running.stderr.pipe(process.stderr, { end: false })
  if (process.stdin.isTTY) process.stdin.setRawMode(true)
  process.stdin.on('data', (data) => void running.write(data)).once('end', () => running.endStdin())
  return (await running.exited).code
}
