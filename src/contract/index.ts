/** Reads a contract: its operations, what its references lead to, and the forms it takes for those who check by it. */
export * from './contract.ts';
export * from './defaults.ts';
export * from './deprecations.ts';
export * from './error-codes.ts';
export * from './dereference.ts';
export * from './known-values.ts';
export * from './memoize.ts';
export * from './paths.ts';
export * from './references.ts';
export * from './selected-responses.ts';
export * from './slices.ts';
