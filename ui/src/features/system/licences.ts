// Third-party packages in the product: package, name, licence.
export const LICENCES = [
  ['svelte', 'Svelte', 'MIT'],
  ['uplot', 'uPlot', 'MIT'],
  ['uqr', 'uqr', 'MIT'],
  ['@fontsource-variable/vazirmatn', 'Vazirmatn', 'OFL-1.1'],
  ['ajv', 'Ajv', 'MIT'],
  ['bcrypt', 'bcrypt', 'MIT'],
  ['better-sqlite3', 'better-sqlite3', 'MIT'],
  ['cookie-parser', 'cookie-parser', 'MIT'],
  ['express', 'Express', 'MIT'],
  ['helmet', 'Helmet', 'MIT'],
  ['json-rpc-2.0', 'json-rpc-2.0', 'MIT'],
  ['jsonwebtoken', 'jsonwebtoken', 'MIT'],
  ['kysely', 'Kysely', 'MIT'],
  ['nodemailer', 'Nodemailer', 'MIT-0'],
  ['otpauth', 'OTPAuth', 'MIT'],
  ['pino', 'pino', 'MIT'],
  ['@sinclair/typebox', 'TypeBox', 'MIT'],
  ['yaml', 'yaml', 'ISC'],
] as const

/** Artwork copied without a package. */
export const DRAWINGS = [['Lucide', 'ISC']] as const
