// The web daemon of a next release.
import './next-migration.ts'
import '../../../web-daemon/app/main.ts'
