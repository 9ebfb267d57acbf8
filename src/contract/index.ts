/** Reads a contract: its operations, what its references lead to, and the forms it takes for those who check by it. */
export * from './contract.ts';
export * from './defaults.ts';
export * from './deprecations.ts';
export * from './error-codes.ts';
export * from './inlined.ts';
export * from './known-values.ts';
export * from './made-once.ts';
export * from './paths.ts';
export * from './references.ts';
export * from './selected-answers.ts';
export * from './slices.ts';
