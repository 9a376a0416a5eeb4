// The kernel of the lab machine behind the same interface as the fake one: each call is a line to a driver in the
// machine.
import { createInterface } from 'node:readline'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Kernel, KernelEvents } from '@panel/root-helper/kernel/facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { Lab } from '../lab/index.ts'
import type { Running } from '../lab/running.ts'
import { putDriver } from './bundles.ts'

/** An answer has an id; an event has none. */
interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { code?: string; message: string }
  readonly event?: HostEvent
}

type Waiter = { resolve: (result: unknown) => void; reject: (error: Error) => void }

export async function realKernel(lab: Lab): Promise<Kernel> {
  const driver = await putDriver(lab, 'vm/driver/kernel-driver.ts')
  const env = {
    PANEL_UNIT_DIR: '/run/contract/units',
    PANEL_NETWORKD_DIR: '/run/contract/network',
    PANEL_SYSCTL_DIR: '/run/contract/sysctl',
    PANEL_HELPER_STATE_DIR: '/run/contract/state',
  }
  const process = lab.spawn('node', [driver], { env })
  const listeners = new Set<(event: HostEvent) => void>()
  const waiters = listen(process, listeners)
  const facility = (name: keyof Kernel) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            call(process, waiters, { facility: name, method: String(method), args }),
      },
    )
  const watch: KernelEvents['watch'] = (tell) => {
    listeners.add(tell)
    return () => void listeners.delete(tell)
  }
  return {
    links: facility('links'),
    ownLinks: facility('ownLinks'),
    answers: facility('answers'),
    networks: facility('networks'),
    units: facility('units'),
    networkd: facility('networkd'),
    rulesets: facility('rulesets'),
    connections: facility('connections'),
    forwarding: facility('forwarding'),
    events: { watch },
  } as unknown as Kernel
}

function listen(process: Running, listeners: ReadonlySet<(event: HostEvent) => void>): Map<number, Waiter> {
  const waiters = new Map<number, Waiter>()
  createInterface({ input: process.stdout }).on('line', (line) => {
    const { id, result, error, event } = JSON.parse(line) as Reply
    if (event) for (const tell of listeners) tell(event)
    if (id === undefined) return
    const waiter = waiters.get(id)
    waiters.delete(id)
    if (error) waiter?.reject(new KernelError(error.code ?? '', error.message))
    else waiter?.resolve(result)
  })
  void process.exited.then(() => {
    for (const { reject } of waiters.values()) reject(new Error(`The driver ended: ${process.text('stderr')}`))
    // Later callers receive it at once.
    waiters.set = (_id, { reject }) => (reject(new Error(`The driver has ended: ${process.text('stderr')}`)), waiters)
  })
  return waiters
}

let nextId = 0

function call(process: Running, waiters: Map<number, Waiter>, what: object): Promise<unknown> {
  const id = ++nextId
  return new Promise((resolve, reject) => {
    waiters.set(id, { resolve, reject })
    process.write(`${JSON.stringify({ id, ...what })}\n`).catch(reject)
  })
}
