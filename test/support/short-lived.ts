/**
 * A process of a test lives for seconds, in which V8's optimizing compiler costs more time than it saves. Only Node 20
 * has this option.
 */
export const SHORT_PROCESS_OPTIONS = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];
