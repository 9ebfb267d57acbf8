import { languageOf, type TextKey } from '../../languages/index.ts';
import type { ReportTemplate, ReportTemplateFields, TemplateTexts } from './report-template.ts';

export const BUILT_IN_KEYS = ['care-plan', 'security', 'executive'] as const;
export type BuiltInKey = (typeof BUILT_IN_KEYS)[number];

export const DEFAULT_TEMPLATE: BuiltInKey = 'care-plan';

type Layout = Pick<ReportTemplateFields, 'sections' | 'appendix'>;

const LAYOUTS: Readonly<Record<BuiltInKey, Layout>> = {
  'care-plan': {
    sections: ['summary', 'work', 'availability', 'speed', 'security', 'recommendations'],
    appendix: [],
  },
  security: {
    sections: ['summary', 'security', 'recommendations', 'availability', 'work'],
    appendix: ['security', 'monitoring', 'pending'],
  },
  executive: { sections: ['summary', 'recommendations'], appendix: [] },
};

const TEXTS = ['name', 'greeting', 'intro', 'closing'] as const;

const isBuiltInKey = (key: string): key is BuiltInKey => (BUILT_IN_KEYS as readonly string[]).includes(key);

export function builtInTemplate(key: string, language: string): ReportTemplate | null {
  if (!isBuiltInKey(key)) return null;
  const texts = TEXTS.map((name) => [name, languageOf(language).text(`template.${key}.${name}` satisfies TextKey)]);
  return {
    key,
    builtIn: true,
    ...(Object.fromEntries(texts) as TemplateTexts & { name: string }),
    ...LAYOUTS[key],
    ...{ language: null, color: null, accentColor: null, logo: null, cover: false },
    ...{ createdAt: null, updatedAt: null },
  };
}
