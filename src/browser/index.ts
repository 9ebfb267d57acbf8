export { BrowserError } from './browser-error.ts';
export { Lighthouse, type LighthouseOptions } from './lighthouse.ts';
export { Printer, type MakePage, type PrinterOptions } from './printer.ts';
export type { AuditTask, BrowserFault, BrowserLimits, Strategy } from './messages.ts';
