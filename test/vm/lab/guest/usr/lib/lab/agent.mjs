// Runs commands for the lab, one per connection, on the socket that systemd opened in the control namespace.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { drained, frame, frames, kinds } from './frames.mjs'

const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8', TERM: 'xterm' }

// A process group of its own, so that a signal reaches what the command started as well.
function start({ argv: [file, ...args], env, cwd }) {
  return spawn(file, args, { env: { ...environment, ...env }, cwd: cwd ?? '/root', detached: true })
}

function signalGroup(child, signal) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error // it ended by itself a moment ago
  }
}

async function pump(stream, kind, socket) {
  for await (const chunk of stream) {
    if (!socket.write(frame(kind, chunk))) await drained(socket)
  }
}

async function report(child, socket) {
  try {
    const ended = once(child, 'exit')
    await Promise.all([ended, pump(child.stdout, kinds.stdout, socket), pump(child.stderr, kinds.stderr, socket)])
    const [code, signal] = await ended
    socket.end(frame(kinds.exit, JSON.stringify({ code, signal })))
  } catch (error) {
    socket.end(frame(kinds.failure, String(error.message)))
  }
}

async function feed(child, { kind, payload }) {
  if (kind === kinds.stdin && child.stdin.writable && !child.stdin.write(payload)) {
    await drained(child.stdin)
  }
  if (kind === kinds.endOfStdin) child.stdin.end()
  if (kind === kinds.signal) signalGroup(child, payload.toString())
}

function launch(socket, request) {
  const child = start(request)
  child.stdin.on('error', () => child.stdin.destroy()) // EPIPE: a command need not read what it is given
  socket.once('close', () => signalGroup(child, 'SIGKILL'))
  void report(child, socket)
  return child
}

async function serve(socket) {
  let child
  for await (const message of frames(socket)) {
    if (message.kind === kinds.request) child = launch(socket, JSON.parse(message.payload.toString()))
    else await feed(child, message)
  }
}

createServer((socket) => {
  socket.setNoDelay(true)
  serve(socket).catch((error) => {
    if (error.code !== 'ECONNRESET') console.error(error) // the host's end may vanish at any time
  })
}).listen({ fd: 3 })
