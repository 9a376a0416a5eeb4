// Caches what kind of interface each name is. Changed ones, and a few others each time, are read again, so that a
// thousand interfaces cost little more than fifty.
import type { Host } from './host.ts'
import { KIND_OF_NAME, linkFacts, type LinkFacts, type LinkFiles } from './parse/link.ts'

/** Up to this many interfaces, all are read every time. */
export const READ_ALL_MAX = 64
/**
 * The number of links that are read each time in turn, beside the changed ones, if there are more: a thousand take two
 * minutes.
 */
export const READ_EACH_TIME = 8

interface CachedLink {
  readonly files: LinkFiles
  readonly facts: LinkFacts
}

export class Links {
  readonly #host: Host
  #cache = new Map<string, CachedLink>()
  readonly #changed = new Set<string>()
  #next = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** It is read again with the next reading. */
  markChanged(name: string): void {
    this.#changed.add(name)
  }

  /** The facts of these interfaces. `isRecreated`: whether the interface may be another one than before. */
  read(
    names: readonly string[],
    isRecreated: (name: string) => boolean,
    knownKinds: ReadonlyMap<string, string>,
  ): Pick<ReadonlyMap<string, CachedLink>, 'get'> {
    const due = this.#due(names)
    const links = new Map<string, CachedLink>()
    for (const name of names) {
      const cached = this.#cache.get(name)
      const now =
        cached && !due.has(name) && !isRecreated(name)
          ? cached
          : this.#readLink(name, cached?.files, knownKinds.get(name) ?? KIND_OF_NAME[name])
      if (now) links.set(name, now)
    }
    this.#cache = links
    this.#changed.clear()
    return links
  }

  #due(names: readonly string[]): ReadonlySet<string> {
    if (names.length <= READ_ALL_MAX) return new Set(names)
    const due = new Set(this.#changed)
    for (let i = 0; i < READ_EACH_TIME; i += 1) due.add(names[(this.#next + i) % names.length] as string)
    this.#next = (this.#next + READ_EACH_TIME) % names.length
    return due
  }

  /** Null if it was removed since its counters were read. */
  #readLink(name: string, before: LinkFiles | undefined, knownKind: string | undefined): CachedLink | null {
    try {
      const files = this.#files(`/sys/class/net/${name}`, before)
      return { files, facts: linkFacts(files, knownKind) }
    } catch (failure) {
      if (['ENOENT', 'ENODEV', 'EINVAL'].includes((failure as NodeJS.ErrnoException).code ?? '')) return null
      throw failure
    }
  }

  /** The kind of an interface never changes, and the same index is the same interface. */
  #files(folder: string, before: LinkFiles | undefined): LinkFiles {
    const { read, has } = this.#host
    const uevent = read(`${folder}/uevent`)
    const changing = {
      uevent,
      flags: read(`${folder}/flags`),
      mtu: read(`${folder}/mtu`),
      operstate: read(`${folder}/operstate`),
    }
    if (before?.uevent === uevent) return { ...before, ...changing }
    return {
      ...changing,
      type: read(`${folder}/type`),
      hasDevice: has(`${folder}/device`),
      hasTunFlags: has(`${folder}/tun_flags`),
    }
  }
}
