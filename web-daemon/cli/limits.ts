// What root allows on this host, and the command by which root allows more. The helper reads the file at each change.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { ALLOWS, isFault, lineThatAllows, parseLimits } from '@panel/shared/limits/file.ts'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'
import { notTheHelper, resultOf } from './rpc.ts'

export async function showLimits(config: Config): Promise<void> {
  const found = await resultOf(config, 'host.probe', { parts: ['limits', 'limits_used'] })
  if (!found.limits || !found.limits_used) throw notTheHelper(config.helper_socket, JSON.stringify(found))
  const { path, fault, limits } = found.limits
  printLine(`What root allows on this host, by ${path}:`)
  const { drawn, ...sums } = found.limits_used
  const used: Partial<Record<string, number>> = sums
  for (const [key, value] of Object.entries(limits)) {
    const of = used[key] === undefined ? '' : `${used[key]} of `
    printLine(`  ${key.padEnd(24)} ${Array.isArray(value) ? value.join(' ') : `${of}${value}`}`)
  }
  for (const { interface_name, public_addresses, public_subnets } of drawn)
    printLine(`${interface_name} draws ${public_addresses} public IPv4 addresses and ${public_subnets} IPv6 /64.`)
  if (fault !== '') throw new CommandError(fault)
}

const KINDS = Object.keys(ALLOWS).join(', ')

/** Adds one line to the file. What it cannot be is refused, and the file stays as it was. */
export function allow({ limits_file: path }: Config, [kind = '', value = '', ...more]: readonly string[]): void {
  const line = value === '' || more.length > 0 ? null : lineThatAllows(kind, value)
  if (line === null)
    throw new CommandError(`tunnel-panel allow takes a kind (${KINDS}, or a number of ${path}) and a value.`, 2)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  refuseFault(path, text)
  if (text.split('\n').includes(line)) return void printLine(`${path} has the line already: ${line}`)
  const after = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  refuseFault(path, after)
  writeFile(path, after)
  printLine(`Added to ${path}, and in force at once: ${line}`)
}

function refuseFault(path: string, text: string): void {
  const found = parseLimits(text)
  if (isFault(found)) throw new CommandError(`${path}, line ${found.line}: ${found.why.message}`)
}

function writeFile(path: string, text: string): void {
  const unfinished = `${path}.new`
  try {
    const file = openSync(unfinished, 'w', 0o644)
    writeSync(file, text)
    fsyncSync(file)
    closeSync(file)
    renameSync(unfinished, path)
  } catch (failure) {
    const { code = 'unknown error' } = failure as NodeJS.ErrnoException
    throw new CommandError(`${path} cannot be written (${code}): run it as root.`, 3)
  }
}
