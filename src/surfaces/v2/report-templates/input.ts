import type { components } from '../../../../generated/v2.ts';
import type {
  NewReportTemplate,
  ReportTemplateFields,
  ReportTemplatePatch,
} from '../../../domains/report-templates/index.ts';
import type { ReportSubject } from '../../../domains/pro-reports/index.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';

type Schemas = components['schemas'];

export const fieldNames = { accentColor: 'accent_color' } as const;

export const templatePatchOf = ({ accent_color: accentColor, ...fields }: Schemas['ReportTemplateEdit']) =>
  ({ ...fields, ...(accentColor !== undefined && { accentColor }) }) as ReportTemplatePatch;

export const newTemplateOf = ({ accent_color: accentColor, ...fields }: Schemas['ReportTemplateAdd']) =>
  ({ ...fields, ...(accentColor !== undefined && { accentColor }) }) as NewReportTemplate &
    Partial<ReportTemplateFields>;

export function subjectOf({
  site_id: siteId,
  client_id: client,
}: {
  site_id?: number;
  client_id?: number;
}): ReportSubject | null {
  if (siteId !== undefined && client !== undefined) throwFieldError('site_id', 'must not be sent with client_id');
  if (siteId !== undefined) return { siteId };
  return client === undefined ? null : { client };
}
