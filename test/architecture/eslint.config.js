// House rules that a linter can hold; each that is not the recommended default says why. Those that need types are in
// oxlint.json.
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import tseslint from 'typescript-eslint'

const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']))

export default tseslint.config(
  { ignores: ['**/node_modules/**', '.build/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      // An underscore says that a value is there to be left out.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      // The platform's open interfaces are filled by declaration merging (web-daemon/app/schema.ts).
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'always' }],
      // Control characters stand in patterns that keep them out.
      'no-control-regex': 'off',
    },
  },
  // What it prints may come from an attacker who wants to steer root's terminal.
  {
    files: ['web-daemon/cli/**/*.ts'],
    ignores: ['web-daemon/cli/print.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({ object: 'process', property, message: 'Print by print.ts.' })),
      ],
    },
  },
  ...svelte.configs.recommended,
  // Values are replaced as a whole ($state.raw), which is what keeps a thousand rows quick.
  { files: ['**/*.svelte', '**/*.svelte.ts'], rules: { 'svelte/prefer-svelte-reactivity': 'off' } },
  // `??=` and `||=` count as no use of a private member to it; the compiler knows better.
  {
    files: ['**/*.svelte.ts'],
    languageOptions: { parser: tseslint.parser },
    rules: { 'no-unused-private-class-members': 'off' },
  },
  {
    files: ['**/*.svelte'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      // Both are lost under the page's policy, or would break it.
      'svelte/no-inline-styles': ['error', { allowTransitions: true }],
      'svelte/no-at-html-tags': 'error',
      // An address is made by href(), which knows the web path; SvelteKit's resolve() is not here.
      'svelte/no-navigation-without-resolve': 'off',
      // A blank between two elements is one only so; and a snippet by its name says what its argument is.
      'svelte/no-useless-mustaches': 'off',
      'svelte/no-useless-children-snippet': 'off',
      // The compiler takes care of types and of names.
      'no-undef': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      // Styled from outside by inline style, which the policy forbids.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteElement[kind="component"] SvelteAttribute[key.name=/^--/]',
          message: 'A custom property on a component becomes an inline style.',
        },
        {
          selector: 'SvelteStyleDirective',
          message: 'A style directive becomes an inline style; use an attachment with style.setProperty.',
        },
      ],
    },
  },
  // A suite is one long function by mocha's nature.
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  // An endpoints file is one list of endpoints.
  { files: ['web-daemon/**/endpoints.ts'], rules: { 'max-lines-per-function': 'off' } },
  // A migration is one list of statements.
  {
    files: ['web-daemon/**/migration.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: readonly('process', 'console', 'Buffer', 'window', 'document', 'fetch', 'setTimeout') },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: readonly('require', 'module') },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
)
