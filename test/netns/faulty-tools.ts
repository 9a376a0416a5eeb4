// Stand-ins for the programs that a helper starts: each is the real one until it is to fail, and counts how often it
// did. They are seen by one mount namespace alone.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/** The files, and the names under which each is started. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  '/usr/sbin/nft': ['nft'],
  '/usr/sbin/iptables-nft': named('nft'),
  '/usr/sbin/iptables-legacy': named('legacy'),
}

function named(variant: string): string[] {
  return ['iptables', 'ip6tables'].flatMap((name) =>
    ['', '-save', '-restore'].flatMap((what) => [
      `${name}-${variant}${what}`,
      ...(variant === 'nft' ? [name + what] : []),
    ]),
  )
}

/** What each way to fail does in the place of the program. */
export const FAULTS = {
  aborts: 'kill -ABRT $$',
  'ends with 134': 'exit 134',
  'lacks a library': `echo "$tool: error while loading shared libraries: libnftables.so.1: cannot open shared object file: No such file or directory" >&2; exit 127`,
  refuses: 'echo "Error: injected" >&2; exit 1',
  'lists half': '"$real" "$@" | head -c 60; exit 0',
  'says nothing': 'exit 0',
  'does it and aborts': '"$real" "$@"; kill -ABRT $$',
  'refuses a line': `if [ "$1" = -f ]; then (cat; echo 'add rule inet panel no_such_chain drop') | "$real" "$@"; exit $?; else exec "$real" "$@"; fi`,
} as const
export type ToolFault = keyof typeof FAULTS

/** The tools that a helper may start at its start, as `fail` takes them. */
export const FALLIBLE = [
  'nft',
  'iptables',
  'iptables-save',
  'iptables-nft-save',
  'iptables-nft-restore',
  'iptables-legacy-save',
] as const

export class FaultyTools {
  readonly #folder: string
  #times = 0

  constructor(folder: string) {
    this.#folder = join(folder, 'tools')
    mkdirSync(this.#folder)
    for (const [path, names] of Object.entries(PROGRAMS)) {
      const real = basename(realpathSync(path))
      copyFileSync(realpathSync(path), join(this.#folder, real))
      for (const name of names) if (name !== real) symlinkSync(real, join(this.#folder, name))
    }
    writeFileSync(this.#script, this.#text(), { mode: 0o755 })
  }

  /** The words of a command that ends with what it is to become. */
  get within(): string[] {
    const binds = Object.keys(PROGRAMS).map((path) => `mount --bind ${this.#script} ${realpathSync(path)}`)
    return ['--mount', 'sh', '-c', `${binds.join(' && ')} && exec "$@"`, 'sh']
  }

  /** Makes the next calls of the tools fail. */
  fail(fault: ToolFault, calls = 1_000_000, tools: readonly string[] = Object.values(PROGRAMS).flat()): void {
    this.#times += 1
    mkdirSync(this.#failures)
    // Whole or not at all: a program may start at this moment.
    const settings = `fault='${fault}' calls=${calls} failures=${this.#failures} tools=' ${tools.join(' ')} '\n`
    writeFileSync(join(this.#folder, 'fault.new'), settings)
    renameSync(join(this.#folder, 'fault.new'), this.#fault)
  }

  mend(): void {
    rmSync(this.#fault, { force: true })
  }

  /** How many calls have failed since fail was called. */
  get failed(): number {
    return existsSync(this.#failures) ? readdirSync(this.#failures).length : 0
  }

  get #script(): string {
    return join(this.#folder, 'stand-in')
  }

  get #fault(): string {
    return join(this.#folder, 'fault')
  }

  /** A folder for each time, since a program that has begun to fail goes on to. */
  get #failures(): string {
    return join(this.#folder, `failures-${this.#times}`)
  }

  /** A folder is made by one process alone, so programs that run side by side count each failure once. */
  #text(): string {
    const ways = Object.entries(FAULTS).map(([name, text]) => `'${name}') ${text} ;;`)
    return `#!/bin/sh
tool=\${0##*/}
real=${this.#folder}/$tool
if [ -e ${this.#fault} ]; then
  . ${this.#fault}
  case $tools in *" $tool "*)
    count=1
    while [ $count -le $calls ]; do
      if mkdir $failures/$count 2>/dev/null; then
        case $fault in
          ${ways.join('\n          ')}
        esac
      fi
      count=$((count + 1))
      [ -e ${this.#fault} ] || break
    done ;;
  esac
fi
exec "$real" "$@"
`
  }
}
