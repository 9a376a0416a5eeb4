// Remembers what kind of interface each name is, and looks again at those that changed and at some others each time, so that a thousand cost little more than fifty.
import type { Host } from './host.ts'
import { KIND_OF_NAME, linkFacts, type LinkFacts, type LinkFiles } from './parse/link.ts'

/** A host with no more interfaces than this is looked at anew, whole, every time. */
export const READ_ALL_MAX = 64
/** Of more, so many each time, round and round, beside those that the kernel tells of: of a thousand each is looked at in two minutes though nobody told of it. */
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

  /** Something of it is not what it was: it is looked at with the next reading. */
  markChanged(name: string): void {
    this.#changed.add(name)
  }

  /** The facts of the interfaces of these names. `isAnew`: whether one may have been made anew. */
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

  /** Null of one that went away since its counters were read: there is nothing wrong, and nothing to tell. */
  #readLink(name: string, before: LinkFiles | undefined, knownKind: string | undefined): CachedLink | null {
    try {
      const files = this.#files(`/sys/class/net/${name}`, before)
      return { files, facts: linkFacts(files, knownKind) }
    } catch (failure) {
      if (['ENOENT', 'ENODEV', 'EINVAL'].includes((failure as NodeJS.ErrnoException).code ?? '')) return null
      throw failure
    }
  }

  /** What an interface is never changes, and the same index is the same interface. */
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
