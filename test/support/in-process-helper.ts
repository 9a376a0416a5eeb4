// The real handlers and the real transaction over a fake kernel, spoken to without a socket but through the same
// validators and JSON.
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor, type HelperDeps } from '@panel/root-helper/handlers.ts'
import { oneAtATime } from '@panel/root-helper/one-at-a-time.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { WindowRecord } from '@panel/root-helper/window/record.ts'
import { Windows } from '@panel/root-helper/window/window.ts'
import { StreamSlots, Streams } from '@panel/root-helper/streams.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import type { InterruptedChange } from '@panel/root-helper/kernel/files/journal.ts'
import { TOOLS, type HelperFacts, type Tools } from '@panel/shared/host/model.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { Streamer } from '@panel/web-daemon/platform/helper/streams.ts'
import { refusalOf, type RefusalCode } from '@panel/shared/rpc/outcome.ts'
import { FakeClock } from './fake-clock.ts'
import type { FakeKernel } from './fake-kernel.ts'
import { memoryFolder } from './memory-folder.ts'

/** What the helper answered in the place of a result; `code` is of the closed list, or null for a number outside it. */
export class HelperRefusal extends Error {
  readonly number: number
  readonly code: RefusalCode | null
  constructor(number: number, message: string) {
    super(message)
    this.name = 'HelperRefusal'
    this.number = number
    this.code = refusalOf(number)
  }
}

export interface InProcessHelper {
  readonly request: Writer
  readonly stream: Streamer
  readonly deps: HelperDeps
  /** Every requested method, in order. */
  readonly requested: string[]
}

export function inProcessHelper(
  kernel: FakeKernel,
  journal: HelperDeps['journal'] = noJournal(),
  clock = new FakeClock(),
): InProcessHelper {
  const deps: HelperDeps = {
    kernel,
    journal,
    ...fakeWindows(kernel, { journal, clock }),
    helperFacts: async () => HELPER_FACTS,
    findTools: async () => ALL_TOOLS,
    findListeners: async () => kernel.hostListeners,
    stateTrouble: async () => deps.windows.trouble() ?? kernel.stateTrouble,
  }
  const dispatch = dispatcherFor(handlersFor(deps))
  const requested: string[] = []
  const readers = new Map<number, (item: never) => void>()
  const streams = new Streams(async (text) => {
    const { params } = JSON.parse(text) as { params: { id: number; item: never } }
    readers.get(params.id)?.(params.item)
  }, new StreamSlots())
  let lastId = 0
  const answerTo = async (method: string, params: unknown, id = ++lastId): Promise<unknown> => {
    requested.push(method)
    const { text } = await dispatch(
      new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
      streams,
    )
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } }
    if (error) throw new HelperRefusal(error.code, error.message)
    return result
  }
  const stream = async (
    method: string,
    params: unknown,
    onItem: (item: never) => void,
    signal: AbortSignal,
  ): Promise<unknown> => {
    signal.throwIfAborted()
    const id = ++lastId
    readers.set(id, onItem)
    signal.addEventListener('abort', () => void answerTo('stream.cancel', { id }), { once: true })
    return answerTo(method, params, id).finally(() => readers.delete(id))
  }
  return {
    request: ((method, params) => answerTo(method, params)) as Writer,
    stream: stream as Streamer,
    deps,
    requested,
  }
}

/** `clock` and `folder` are the test's own where it looks at them. */
export function fakeWindows(
  kernel: Kernel & { readonly foldersTrouble?: string | null },
  { journal = noJournal(), clock = new FakeClock(), folder = memoryFolder(), boot_id = 'a boot' } = {},
): Pick<HelperDeps, 'windows' | 'inTurn' | 'hold'> {
  const { inTurn, hold } = oneAtATime(64)
  const windows = new Windows({
    record: new WindowRecord(folder),
    clock,
    boot_id,
    inTurn,
    journal,
    transactions: transactionsOf(kernel, journal),
    foldersTrouble: async () => kernel.foldersTrouble ?? null,
  })
  return { windows, inTurn, hold }
}

export const noJournal = (): HelperDeps['journal'] => ({
  isKept: () => false,
  begin: async () => undefined,
  end: async () => undefined,
  read: async () => null,
  block: () => undefined,
  blocked: () => null,
})

export function memoryJournal(): HelperDeps['journal'] {
  let cut: InterruptedChange | null = null
  let blocked: string | null = null
  return {
    isKept: () => false,
    begin: async (noun, change) => void (cut = { noun, change }),
    end: async () => void (cut = null),
    read: async () => cut,
    block: (why) => void (blocked = why.message),
    blocked: () => blocked,
  }
}

const HELPER_FACTS: HelperFacts = {
  savers: [
    { by: 'systemd', available: true, detail: 'Unit files in /etc/systemd/system' },
    { by: 'networkd', available: true, detail: 'Files in /etc/systemd/network' },
  ],
  kernel_release: '6.12.0-fake',
  unit_dir: '/etc/systemd/system',
  networkd_dir: '/etc/systemd/network',
  sysctl_dir: '/etc/sysctl.d',
  version: '0.0.0-fake',
  pid: 1,
}

const ALL_TOOLS: Tools = {
  backend: { available: true, version: 'nftables v1.0.6', detail: '' },
  tools: TOOLS.map((name) => ({ name, available: true })),
}
