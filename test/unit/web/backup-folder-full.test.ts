// A full or read-only disk under the directory of encrypted backups; the file runs itself once more on a small disk.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileName, Folder } from '@panel/web-daemon/features/backup-elsewhere/folder.ts'
import { fillUp, makeRoom, remount, runOnSmallDisk, smallDisk } from '../../api/support/small-disk.ts'

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day))
const TEXT = 'x'.repeat(20_000)

if (smallDisk !== null) {
  describe('On a small disk', () => {
    const folder = new Folder({ path: smallDisk ?? '', state_dir: '/nonexistent' })
    const backups = (): string[] => readdirSync(folder.path).filter((name) => name.startsWith('tunnel-panel-'))
    const fails = (day: number, code: string): Promise<void> =>
      assert.rejects(folder.write(fileName(at(day)), TEXT, 1), { code })

    it('a backup fails as a whole, leaves the earlier one, and is made once there is room', async () => {
      await folder.write(fileName(at(1)), TEXT, 1)
      fillUp(folder.path)
      await fails(2, 'ENOSPC')
      assert.deepEqual(backups(), [fileName(at(1))])
      makeRoom(folder.path)
      remount(folder.path, 'ro')
      await fails(3, 'EROFS')
      remount(folder.path, 'rw')
      await folder.write(fileName(at(4)), TEXT, 1)
      assert.deepEqual(backups(), [fileName(at(4))])
    })
  })
} else {
  describe('The directory of encrypted backups on a disk that is full or read-only', function () {
    it('keeps what it has, and says why nothing was written', () => {
      const folder = mkdtempSync(join(tmpdir(), 'backup-full-'))
      try {
        runOnSmallDisk(import.meta.filename, folder)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
}
