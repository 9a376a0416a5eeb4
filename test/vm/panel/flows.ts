// Many connections at once, each of which sends a byte every second and must have every one back, over whichever path.
import type { Server } from '../lab/index.ts'

/** A connection takes a descriptor at each end. */
const RUN = ['-c', 'ulimit -n 8192; exec node -e "$0" "$@"']

const ECHO = `
const [address, port] = process.argv.slice(1)
const server = require('node:net').createServer((socket) => socket.on('error', () => undefined).pipe(socket))
server.listen({ host: address, port: Number(port), backlog: 4096 }, () => console.log('listening'))
`
const CLIENT = `
const [address, port, count] = process.argv.slice(1)
const { once } = require('node:events')
const flows = []
let isSending = true
const connect = async () => {
  const socket = require('node:net').connect({ host: address, port: Number(port) })
  const flow = { socket, sent: 0, back: 0, isOver: false }
  socket.on('data', (data) => (flow.back += data.length))
  socket.on('error', () => undefined).on('close', () => (flow.isOver = true))
  await once(socket, 'connect')
  flows.push(flow)
}
const report = (word) => {
  const over = flows.filter(({ isOver }) => isOver).length
  const waiting = flows.filter(({ sent, back, isOver }) => !isOver && sent !== back).length
  console.log(word + ' ' + JSON.stringify({ flows: flows.length, over, waiting }))
  return waiting
}
const send = (flow) => {
  flow.sent += 1
  flow.socket.write('.', () => undefined)
}
setInterval(() => {
  if (isSending) flows.filter(({ isOver }) => !isOver).forEach(send)
  else if (report('ending') === 0) process.exit(report('ended'))
}, 1000)
process.stdin.on('data', () => (isSending = false))
;(async () => {
  while (flows.length < Number(count))
    await Promise.all(Array.from({ length: Math.min(50, Number(count) - flows.length) }, connect))
  report('open')
})()
`

/** Sends back whatever comes. */
export async function echoFlows(server: Server, address: string, port: number): Promise<void> {
  await server.spawn('sh', [...RUN, ECHO, address, `${port}`]).says(/listening/)
}

/** Resolves once so many are open. `end` resolves with how many of them are over once each of the others has all back. */
export async function openFlows(from: Server, address: string, port: number, count: number) {
  const client = from.spawn('sh', [...RUN, CLIENT, address, `${port}`, `${count}`])
  await client.says(/open \{.*\}/)
  return {
    end: async (): Promise<{ flows: number; over: number }> => {
      await client.write('end\n')
      const [, text = ''] = await client.says(/ended (\{.*\})/)
      const { flows, over } = JSON.parse(text) as { flows: number; over: number }
      return { flows, over }
    },
  }
}
