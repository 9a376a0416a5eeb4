// The folders of shared, of root-helper and of the page's components import one another in one direction: their graph
// has no cycle.
import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { findCycle, graphOf, readImports } from './import-graph.ts'

/** A file directly in its room is a node of its own, and so is each folder. */
function nodeOf(path: string): string {
  const folder = dirname(path)
  return folder.includes('/') ? folder : path
}

describe('The graph of the folders', function () {
  for (const room of ['shared', 'root-helper', 'ui/src/components'])
    it(`of ${room} has no cycle`, async () => {
      const graph = graphOf(await readImports(room), nodeOf)
      assert.ok(graph.size > 5)
      assert.equal(findCycle(graph), null)
    })
})
