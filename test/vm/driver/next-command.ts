// The commands of a next release.
import './next-migration.ts'
import '../../../web-daemon/cli/main.ts'
