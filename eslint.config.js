import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** A failing line of a test reads as a sentence that does not hold. */
const TITLE = {
  selector:
    'CallExpression:matches([callee.name="it"], [callee.object.name="it"]) > :first-child:not(' +
    'Literal[value=/^when .+, then /], ' +
    'TemplateLiteral:has(> TemplateElement:first-child[value.raw=/^when /]):has(> [value.raw=/, then /]))',
  message: 'A title says when …, then …: "when the key is disabled, then its calls are refused".',
};

export default tseslint.config(
  { ignores: ['dist/', 'generated/', 'node_modules/', 'data/', 'coverage/'] },
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './scripts/docs/browser/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      // Knex's builders are thenable, and its callbacks build them.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config.ts reads the environment.' },
        { object: 'URL', property: 'canParse', message: 'It fails on letters like ü once hot; use shared/url.ts.' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/config.ts', 'src/command-line/main.ts', 'scripts/**', 'test/**', 'examples/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Bodies of answers are whatever came; they have been checked against the contract before a test sees them.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      'no-restricted-syntax': ['error', TITLE],
    },
  },
  { files: ['scripts/**', 'examples/**', 'src/cli/**', 'src/sandbox/main.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', module: 'writable', require: 'readonly' },
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
