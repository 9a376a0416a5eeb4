// Lets the garbage collector free statements between the steps of asynchronous functions, where V8 has no context.
const SQLite = require('better-sqlite3')

const store = new SQLite(':memory:')
const ROUNDS = 3000

async function ask(more) {
  store.prepare('SELECT 1').get()
  await null
  if (more > 0) await ask(more - 1)
}

async function askAll() {
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: 20 }, () => ask(3)))
}

askAll().then(() => console.log('collected'))
