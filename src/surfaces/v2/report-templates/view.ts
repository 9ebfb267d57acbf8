import type { components } from '../../../../generated/v2.ts';
import type { ReportTemplate } from '../../../domains/report-templates/index.ts';
import { toIso } from '../../../shared/clock.ts';

export const templateView = (template: ReportTemplate): components['schemas']['ReportTemplate'] => ({
  key: template.key,
  name: template.name,
  built_in: template.builtIn,
  sections: [...template.sections],
  greeting: template.greeting,
  intro: template.intro,
  closing: template.closing,
  language: template.language,
  color: template.color,
  accent_color: template.accentColor,
  logo: template.logo,
  cover: template.cover,
  appendix: [...template.appendix],
  created_at: toIso(template.createdAt),
  updated_at: toIso(template.updatedAt),
});
