// A real DNS server (dnsmasq) on a port of loopback, whose records a test changes.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { Resolver } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

export interface DnsServer {
  /** The address as in the setting routes.dns_servers. */
  readonly address: string
  /** The addresses of each name; it answers with these from now on. */
  readonly set: (records: Readonly<Record<string, readonly string[]>>) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Another place to run it, and how a test learns that it answers there. */
interface Elsewhere {
  /** The words of a command that ends with what it is to run, such as that of another network. */
  readonly within: readonly string[]
  readonly resolve: (name: string, server: string) => Promise<readonly string[]>
}
const HERE: Elsewhere = { within: [], resolve: resolveHere }

/** `ttl_seconds`: of every answer. */
export async function startDnsServer(ttl_seconds = 60, { within, resolve }: Elsewhere = HERE): Promise<DnsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-dns-'))
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  let child: ChildProcess | null = null
  const stop = async (): Promise<void> => {
    const running = child
    child = null
    if (running?.exitCode !== null) return
    running.kill()
    await once(running, 'exit')
  }
  const set: DnsServer['set'] = async (records) => {
    await stop()
    const lines = Object.entries(records).flatMap(([name, all]) => all.map((one) => `host-record=${name},${one}`))
    const file = join(folder, 'dnsmasq.conf')
    const ready = { name: 'ready.test', address: '192.0.2.200' }
    writeFileSync(file, [...lines, `host-record=${ready.name},${ready.address}`, ''].join('\n'))
    const [program = 'dnsmasq', ...words] = [...within, 'dnsmasq']
    child = spawn(
      program,
      [
        ...words,
        '--keep-in-foreground',
        `--conf-file=${file}`,
        `--port=${port}`,
        '--listen-address=127.0.0.1',
        '--bind-interfaces',
        '--no-resolv',
        '--no-hosts',
        '--local=/test/',
        `--local-ttl=${ttl_seconds}`,
        '--user=',
        '--pid-file',
      ],
      { stdio: 'ignore' },
    )
    await answers(() => resolve(ready.name, address), address)
  }
  await set({})
  return {
    address,
    set,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function resolveHere(name: string, server: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 200, tries: 1 })
  resolver.setServers([server])
  return resolver.resolve4(name).catch(() => [])
}

async function answers(found: () => Promise<readonly string[]>, address: string): Promise<void> {
  await eventually(async () => (await found()).length > 0, `dnsmasq answers at ${address}`)
}

/**
 * Below the ports that the kernel gives to connections: it is let go of whenever the records change, and no connection
 * may take it meanwhile.
 */
async function freePort(): Promise<number> {
  const port = 20_000 + randomInt(10_000)
  const [udp, tcp] = [createSocket('udp4'), createServer()]
  try {
    udp.bind(port, '127.0.0.1')
    await once(udp, 'listening')
    tcp.listen(port, '127.0.0.1')
    await once(tcp, 'listening')
    return port
  } catch {
    return freePort()
  } finally {
    udp.close()
    tcp.close()
  }
}
