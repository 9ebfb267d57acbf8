/** A process of a test lives for seconds, in which V8's optimizing compiler costs more time than it saves. */
export const SHORT_PROCESS_OPTIONS = ['--interrupt-budget=1000000'];
