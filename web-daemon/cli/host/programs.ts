// The programs of this host that the command line starts as the administrator who calls it: systemctl, and hostname.
import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { CommandError } from '../errors.ts'

export const HELPER_UNIT = 'tunnel-panel-helper'
export const WEB_UNIT = 'tunnel-panel-web'

/** What systemd calls the state of a unit, such as "active"; "unknown" where it does not answer. */
export function unitState(unit: string): string {
  const { stdout, error } = spawnSync('systemctl', ['is-active', unit], { encoding: 'utf8' })
  return (error ? '' : stdout.trim()) || 'unknown'
}

export function stopUnit(unit: string): void {
  if (!systemctl('stop', unit)) throw new CommandError(`${unit} cannot be stopped.`)
}

export function restartUnit(unit: string): void {
  if (!tryRestart(unit)) throw new CommandError(`${unit} does not start. Why: journalctl -u ${unit}`)
}

/** Returns false if it does not start; systemctl prints that itself. */
export function tryRestart(unit: string): boolean {
  return systemctl('restart', unit)
}

/** systemd starts a unit that has failed too often again only after this. One that has not failed need not be known. */
export function forgetFailures(unit: string): void {
  spawnSync('systemctl', ['reset-failed', unit], { stdio: 'ignore' })
}

function systemctl(...words: readonly string[]): boolean {
  const { status, error } = spawnSync('systemctl', words, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) throw new CommandError(`systemctl cannot be run (${error.message}).`)
  return status === 0
}

/** The name with its domain, as far as this host knows that. */
export function hostName(): string {
  const { stdout, status } = spawnSync('hostname', ['-f'], { encoding: 'utf8' })
  return (status === 0 ? stdout.trim() : '') || hostname()
}
