import type { SiteScope } from '../../../shared/site-scope.ts';
import type { ReportTemplate } from '../../../domains/report-templates/index.ts';
import type { SitesServices } from '../../../domains/sites/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { renderFileResponse } from '../pro-reports/report-files.ts';
import type { BaseAddress } from '../base-address.ts';
import { newTemplateOf, subjectOf, templatePatchOf } from './input.ts';
import { templateView } from './view.ts';

export { fieldNames } from './input.ts';

export const routes = (
  {
    proReports: { reports },
    reportPages: { reportPages, reportReader },
    reportTemplates: { templates },
    sites: { list },
  }: RequiredServices<'proReports' | 'reportPages' | 'reportTemplates' | 'sites'>,
  { base }: BaseAddress,
): HandlersOf<'report-templates'> => ({
  report_templates_list: async ({ query }) =>
    pageResponse(await templates.page(pageRequestOf(query)), templateView, `${base}/report-templates`, query),
  report_templates_add: async ({ body, caller }) =>
    templateResponse('added', await templates.create(newTemplateOf(body), caller.name)),
  report_templates_get: async ({ path }) => {
    const data = templateView(await templates.get(path.template_key));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  report_templates_edit: async ({ path, body, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, templateView);
    const patch = templatePatchOf(body);
    return templateResponse('saved', await templates.update(path.template_key, patch, caller.name, unchanged));
  },
  report_templates_delete: async ({ path, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, templateView);
    return templateResponse('deleted', await templates.delete(path.template_key, caller.name, unchanged));
  },
  report_templates_preview: async ({ path, query, caller: { sites: scope }, disconnectSignal }) => {
    const { key: template } = await templates.get(path.template_key);
    const about = subjectOf(query) ?? { siteId: await firstSiteOf(scope, list) };
    const range = await reports.range(scope, { startDate: query.start_date, endDate: query.end_date }, about);
    const choice = { template, language: query.language, text: query.text };
    const make = () => reportReader.read({ scope, about, range, choice });
    return renderFileResponse(reportPages, query.format, make, disconnectSignal);
  },
});

async function firstSiteOf(scope: SiteScope, list: SitesServices['list']): Promise<number> {
  const { items } = await list.page(scope, {}, { page: 1, perPage: 1 });
  if (!items[0]) throw new NotFoundError('svc_site_not_found', 'There is no site for a preview.');
  return items[0].id;
}

const templateResponse = (did: string, template: ReportTemplate) => {
  const data = templateView(template);
  const body = { success: 1 as const, message: `The report template was ${did}.`, data };
  return { status: 200 as const, etag: etagOf(data), body };
};
