const IN_MAINTENANCE = /briefly unavailable for scheduled maintenance|<title>maintenance<\/title>/i;
const CRITICAL_SENTENCE = /There has been a critical error on/i;

/** True for the page of WordPress's maintenance mode. It is recognized only in English. */
export const isMaintenancePage = (html: string): boolean => IN_MAINTENANCE.test(html);

/** True if WordPress says that it has stopped after a fatal error, whatever status the page has. Only in English. */
export const hasCriticalSentence = (html: string): boolean => CRITICAL_SENTENCE.test(html);
