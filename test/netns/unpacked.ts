// Debian's packages of programs that are not to be installed: an installed firewall would write into the ruleset of this
// host.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

/** Downloads and unpacks them once, and returns the folder; throws where there is no apt or no mirror. */
export function unpacked(name: string, packages: readonly string[]): string {
  const target = resolve('.build', name)
  if (existsSync(target)) return target
  const folder = `${target}.new`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // The user that apt downloads as may not write here, and apt warns of it.
  const download = () =>
    execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...packages], { cwd: folder })
  try {
    download()
  } catch {
    execFileSync('apt-get', ['update', '-qq'])
    download()
  }
  execFileSync('sh', ['-c', 'for package in *.deb; do dpkg -x "$package" . && rm "$package"; done'], { cwd: folder })
  renameSync(folder, target)
  return target
}
