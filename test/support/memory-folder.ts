// The helper's state folder without a disk.
import type { StateFolder } from '@panel/root-helper/kernel/files/state-folder.ts'

export function memoryFolder(): StateFolder {
  const files = new Map<string, string>()
  return {
    read: (name) => files.get(name) ?? null,
    write: async (name, content) => void files.set(name, content),
    append: async (name, content) => void files.set(name, (files.get(name) ?? '') + content),
    remove: async (name) => void files.delete(name),
    trouble: async () => null,
  }
}
