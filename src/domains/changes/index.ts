export { ChangeLog, type Change } from './change-log.ts';
