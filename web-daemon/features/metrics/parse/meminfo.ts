// Reads memory and swap of /proc/meminfo (proc_meminfo(5)).
import type { MemoryReading, SwapReading } from '@panel/shared/api/metrics.ts'
import { percent } from '../figures.ts'

export const NO_MEMORY: MemoryReading = {
  total_bytes: 0,
  used_bytes: 0,
  free_bytes: 0,
  available_bytes: 0,
  buffers_bytes: 0,
  cached_bytes: 0,
  used_percent: 0,
}
export const NO_SWAP: SwapReading = { configured: false, total_bytes: 0, used_bytes: 0, free_bytes: 0, used_percent: 0 }

export function parseMemory(text: string): MemoryReading {
  const of = fieldsOf(text)
  const [total_bytes, available_bytes] = [of('MemTotal'), of('MemAvailable')]
  const used_bytes = Math.max(0, total_bytes - available_bytes)
  return {
    total_bytes,
    used_bytes,
    free_bytes: of('MemFree'),
    available_bytes,
    buffers_bytes: of('Buffers'),
    // Reclaimable slabs are cache too, as in free(1).
    cached_bytes: of('Cached') + of('SReclaimable'),
    used_percent: percent(used_bytes, total_bytes),
  }
}

export function parseSwap(text: string): SwapReading {
  const of = fieldsOf(text)
  const [total_bytes, free_bytes] = [of('SwapTotal'), of('SwapFree')]
  const used_bytes = total_bytes - free_bytes
  return {
    configured: total_bytes > 0,
    total_bytes,
    used_bytes,
    free_bytes,
    used_percent: percent(used_bytes, total_bytes),
  }
}

/** The kernel writes kB for 1024 bytes. */
const fieldsOf = (text: string): ((name: string) => number) => {
  const fields = new Map(
    [...text.matchAll(/^(\w+):\s+(\d+) kB$/gm)].map(([, name, count]) => [name, Number(count) * 1024]),
  )
  return (name) => {
    const bytes = fields.get(name)
    if (bytes === undefined) throw new Error(`/proc/meminfo has no ${name}`)
    return bytes
  }
}
