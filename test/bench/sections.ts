// The sections of the table that both parts have.
import type { Answer, Costs } from './driver/jobs.ts'
import { mebibytes, ms, timed, type Aim, type Row, type Section, type Share } from './table.ts'

/** The aim of the issue about a thousand tunnels. */
const CAPABILITIES_AIM: Aim = { says: '< 150 ms', below_ms: 150 }

export function listSection(
  title: string,
  { ip, links, tunnels, http, capabilities, socket_bytes, http_bytes, processor }: Answer<'list'>,
  aim?: Aim | Share,
): Section {
  return {
    title,
    rows: [
      timed('ip -s -d -j link; ip -j address', ip),
      timed(`helper alone, link.probe (${mebibytes(socket_bytes)})`, links, ip),
      timed('helper alone, tunnel.probe, unit files read too', tunnels, ip),
      timed(`GET /tunnels?limit=1000 (${mebibytes(http_bytes)})`, http, ip, aim),
      { what: '  of that, processor time of the root helper', median: ms(processor.helper) },
      { what: '  of that, processor time of the web daemon', median: ms(processor.web) },
      timed('GET /system/capabilities', capabilities, ip, aim && CAPABILITIES_AIM),
    ],
  }
}

const MEMORY_MAX_BYTES = 150e6
const memoryRow = (what: string, bytes: number): Row => ({
  what,
  median: mebibytes(bytes),
  aim: '< 150 MB',
  isMet: bytes < MEMORY_MAX_BYTES,
})

export function reconcileSection(
  title: string,
  { ip, digests, tunnels, tools, http, digest_bytes, tunnel_bytes, http_bytes }: Answer<'reconcile'>,
  aim: Aim | Share,
): Section {
  return {
    title,
    rows: [
      timed('ip -s -d -j link; ip -j address', ip),
      timed(`helper alone, tunnel.probe (${mebibytes(tunnel_bytes)})`, tunnels, ip),
      timed(`helper alone, tunnel.digest (${mebibytes(digest_bytes)})`, digests, ip),
      timed('helper alone, starting nft to ask what it can', tools, ip),
      timed(`GET /reconcile (${mebibytes(http_bytes)})`, http, ip, aim),
    ],
  }
}

export const memorySection = (title: string, { helper, web }: Costs): Section => ({
  title,
  rows: [memoryRow('root helper', helper), memoryRow('web daemon', web)],
})
