// House rules for components and for JavaScript; each that is not the recommended default says why. Those for TypeScript
// are in .oxlintrc.json, whose linter takes a fiftieth of the time and reads no template of a component.
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import tseslint from 'typescript-eslint'

const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']))

export default tseslint.config(
  { ignores: ['**/node_modules/**', '.build/**'] },
  ...[js.configs.recommended, ...tseslint.configs.strict].map((each) => ({ ...each, ignores: ['**/*.ts'] })),
  ...svelte.configs.recommended,
  // Values are replaced as a whole ($state.raw), which is what keeps a thousand rows quick.
  { files: ['**/*.svelte', '**/*.svelte.ts'], rules: { 'svelte/prefer-svelte-reactivity': 'off' } },
  { files: ['ui/**/*.ts'], languageOptions: { parser: tseslint.parser } },
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
