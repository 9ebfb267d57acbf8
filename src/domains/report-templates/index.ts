export * from './report-template.ts';
export { builtInTemplate, BUILT_IN_KEYS, DEFAULT_TEMPLATE } from './built-in-templates.ts';
export type { ReportTemplateService } from './report-template-service.ts';
export type { ReportTemplatesServices } from './part.ts';
