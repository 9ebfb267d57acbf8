export { Lighthouse, type LighthouseOptions } from './lighthouse.ts';
export { Printer, type PrinterOptions } from './printer.ts';
