export { updatesSection } from './updates-section.ts';
