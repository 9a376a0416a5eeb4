// The sections of the table that only the lab has: one tunnel made in every way, and a thousand.
import type { Answer } from '../driver/jobs.ts'
import { median, sum } from '../figures.ts'
import { ms, timed, type Row, type Section } from '../table.ts'

export function createSection(took: Answer<'create'>): Section {
  const { three_ip } = took
  const row = (what: string, samples: readonly number[]): Row => timed(what, samples, three_ip)
  return {
    title: 'lab: one GRE tunnel, from nothing to there',
    rows: [
      timed('three ip commands, nothing read back', three_ip),
      row('one ip -batch of the three, nothing read back', took.ip_batch),
      timed('helper alone, kept by nothing, verified', took.socket_runtime, three_ip, {
        says: '< three ip',
        below_ms: median(three_ip),
      }),
      row('helper alone, with its systemd unit, verified', took.socket_unit),
      row('POST /tunnels, kept by nothing, verified, stored', took.http_runtime),
      row('POST /tunnels, with its systemd unit, verified, stored', took.http_unit),
    ],
  }
}

/** `ip` is one time for all of them. What ran out of time says how far it got. */
export function manySection(
  count: number,
  { ip, socket, http }: Record<'ip' | 'socket' | 'http', readonly number[]>,
): Section {
  const all = sum(ip)
  return {
    title: `lab: ${count} GRE tunnels made one after the other (median and p95 are of one tunnel)`,
    rows: [
      { what: `one ip -batch, nothing read back: ${ms(all)} in all`, median: ms(all / count), ratio: 'reference' },
      manyRow('helper alone, verified', count, socket, all / count),
      manyRow('POST /tunnels, verified, stored', count, http, all / count),
    ],
  }
}

function manyRow(what: string, count: number, times: readonly number[], reference_ms: number): Row {
  const done = times.length === count ? '' : `${times.length} of them in `
  const { median: middle, p95 = '' } = timed('', times)
  const last = median(times.slice(-20))
  return {
    what: `${what}: ${done}${ms(sum(times))}, the last ${ms(last)} each`,
    median: middle,
    p95,
    ratio: `× ${(sum(times) / times.length / reference_ms).toFixed(2)}`,
  }
}
