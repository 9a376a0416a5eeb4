// House rules that a linter can hold; each that is not the recommended default says why.
import { join } from 'node:path'
import js from '@eslint/js'
import tseslint from 'typescript-eslint'

const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']))

export default tseslint.config(
  { ignores: ['**/node_modules/**', '.build/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { tsconfigRootDir: join(import.meta.dirname, '../..'), project: ['shared', 'root-helper', 'web-daemon', 'test'].map((room) => `${room}/tsconfig.json`) } },
    rules: {
      // A promise nobody waits for is an error nobody sees.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      // A union that grows must show every place that decides over it.
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // An underscore says that a value is there to be left out.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      // Control characters stand in patterns that keep them out.
      'no-control-regex': 'off',
    },
  },
  // A suite is one long function by mocha's nature.
  { files: ['test/**/*.ts'], rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' } },
  // A migration is one list of statements.
  { files: ['web-daemon/**/migration.ts', 'web-daemon/db/migrations/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['**/*.{js,mjs,cjs}'], languageOptions: { globals: readonly('process', 'console', 'Buffer', 'window', 'document', 'fetch', 'setTimeout') } },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: readonly('require', 'module') }, rules: { '@typescript-eslint/no-require-imports': 'off' } },
)
