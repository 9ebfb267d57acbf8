/** A process of a test lives for seconds, in which the optimizing compiler of V8 takes more than it gives back. */
export const SHORT_PROCESS_OPTIONS = ['--interrupt-budget=1000000'];
