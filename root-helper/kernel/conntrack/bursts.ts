// Goes through a listing of connection tracking without holding up the event loop.
import type { Message } from '../../netlink/message.ts'

/** Looked at in one turn of the event loop, since there may be hundreds of thousands. */
const BURST = 5000

export async function eachFlow(flows: readonly Message[], visit: (flow: Message) => void): Promise<void> {
  for (let at = 0; at < flows.length; at += BURST) {
    for (const flow of flows.slice(at, at + BURST)) visit(flow)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
