// The folder of a panel's state, and what the web daemon finds in it when it starts.
import assert from 'node:assert/strict'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ours } from '@panel/shared/host/model.ts'
import { prepare, type Prepared } from '@panel/web-daemon/app/prepare.ts'
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import type { Fault } from '@panel/web-daemon/platform/health.ts'
import type { HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

export const NOTHING: Ours = { tunnels: 0, rules: 0, is_any: false }
/** Stands in every damaged file, and must stand in no message. */
export const CONTENT = 'qX7content'

export class StartUp {
  readonly folder = mkdtempSync(join(tmpdir(), 'panel-prepare-'))
  readonly store = join(this.folder, 'panel.db')
  readonly key = join(this.folder, 'session.key')
  readonly log: string[] = []
  /** The helper's word on what there is of the panel. */
  answer: () => Ours | null = () => NOTHING
  isRequested = false

  look(): ReturnType<typeof prepare> {
    return prepare({
      state_dir: this.folder,
      logger: makeLogger({ write: (line) => void this.log.push(line) }),
      request: (async () => {
        this.isRequested = true
        return { ours: this.answer() }
      }) as unknown as HelperClient['request'],
    })
  }

  async prepared(): Promise<Prepared> {
    const found = await this.look()
    assert.ok('db' in found, JSON.stringify(found))
    return found
  }

  async starts(): Promise<void> {
    await (await this.prepared()).db.destroy()
  }

  async makeAccount({ db, onFirstAccount }: Prepared): Promise<void> {
    await insertFirstAccount(db, 'operator', 'hash', new Date().toISOString(), onFirstAccount)
    await db.destroy()
  }

  async setUp(): Promise<void> {
    await this.makeAccount(await this.prepared())
  }

  /** Gives these faults and no other, changes no file, and quotes none. Returns all that it says. */
  async refusesUntouched(...reasons: string[]): Promise<string> {
    const before = this.#picture()
    const found = await this.look()
    if ('db' in found) await found.db.destroy()
    assert.ok(!('db' in found), 'the panel can start')
    assert.deepEqual(
      found.map(({ reason }) => reason),
      reasons,
    )
    assert.deepEqual(this.#picture(), before)
    for (const line of [textOf(found), ...this.log]) assert.ok(!line.includes(CONTENT), line)
    return textOf(found)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #picture(): string[] {
    return readdirSync(this.folder)
      .sort()
      .map((name) => {
        const path = join(this.folder, name)
        return `${name} ${lstatSync(path).isFile() ? readFileSync(path).toString('base64') : 'no file'}`
      })
  }
}

const textOf = (faults: readonly Fault[]): string =>
  faults.flatMap(({ sentences }) => sentences.map((one) => one.message)).join(' ')
