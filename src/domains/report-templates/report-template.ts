import { throwFieldError } from '../../shared/field-errors.ts';

export const REPORT_SECTIONS = ['summary', 'work', 'availability', 'speed', 'security', 'recommendations'] as const;
export type ReportSectionName = (typeof REPORT_SECTIONS)[number];

export const APPENDIX_TOPICS = [
  'updates',
  'content',
  'comments',
  'users',
  'availability',
  'speed',
  'security',
  'monitoring',
  'backups',
  'maintenance',
  'work',
  'inventory',
  'pending',
  'shop',
  'visits',
] as const;
export type AppendixTopic = (typeof APPENDIX_TOPICS)[number];

export interface TemplateTexts {
  greeting: string;
  intro: string;
  closing: string;
}

export interface ReportTemplateFields extends TemplateTexts {
  name: string;
  sections: readonly ReportSectionName[];
  /** BCP 47 tag. A language of the client takes precedence. Null for the language of the settings. */
  language: string | null;
  /** Format: `#rrggbb`. A null `color` stands for the color of the settings, and a null `accentColor` for `color`. */
  color: string | null;
  accentColor: string | null;
  /** Data URL of an image. Null for the logo of the settings, and empty for none. */
  logo: string | null;
  cover: boolean;
  appendix: readonly AppendixTopic[];
}

export interface ReportTemplate extends ReportTemplateFields {
  key: string;
  /** True for a template that comes with the product. Its texts are in the language of the report. */
  builtIn: boolean;
  createdAt: number | null;
  updatedAt: number | null;
}

export type NewReportTemplate = Partial<ReportTemplateFields> & { key?: string; name: string };
export type ReportTemplatePatch = Partial<ReportTemplateFields>;

export const TEMPLATE_TOKENS = [
  'agency.name',
  'client.name',
  'site.name',
  'sites.count',
  'period',
  'period.start',
  'period.end',
  'report.date',
] as const;
export type TemplateToken = (typeof TEMPLATE_TOKENS)[number];

export const TOKEN_PATTERN = /\[([\w.-]+)\]/g;

export function requireKnownTokens(field: string, text: string): void {
  const message = unknownTokenMessage(text);
  if (message !== null) throwFieldError(field, message);
}

export function unknownTokenMessage(text: string): string | null {
  const [unknown] = unknownTokensIn(text);
  return unknown === undefined ? null : `must contain no unknown tokens such as ${unknown}`;
}

const unknownTokensIn = (text: string): string[] =>
  [...text.matchAll(TOKEN_PATTERN)].flatMap(([token, name]) =>
    (TEMPLATE_TOKENS as readonly string[]).includes(name ?? '') ? [] : [token],
  );
