// Another program that holds the store locked, until a line comes in: holder <path> <statement that locks>
const SQLite = require('better-sqlite3')

const [path, statement] = process.argv.slice(2)
const store = new SQLite(path)
store.exec(statement)
console.log('held')
process.stdin.once('data', () => process.exit())
