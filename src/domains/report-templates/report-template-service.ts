import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import { BUILT_IN_KEYS, builtInTemplate, DEFAULT_TEMPLATE } from './built-in-templates.ts';
import { checkedKey, checkedTemplate } from './report-template-checks.ts';
import { ReportTemplateRepository, templateNotFound } from './report-template-repository.ts';
import type {
  NewReportTemplate,
  ReportTemplate,
  ReportTemplateFields,
  ReportTemplatePatch,
} from './report-template.ts';

const MOST_TEMPLATES = 200;
/** Language of the texts of built-in templates where no report defines a language, as in a list of templates. */
const LISTED_LANGUAGE = 'en';

export interface ReportTemplateServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  defaultKey: () => string;
  countClients: (trx: Knex, key: string) => Promise<number>;
}

export class ReportTemplateService {
  readonly #deps: ReportTemplateServiceDeps;

  constructor(deps: ReportTemplateServiceDeps) {
    this.#deps = deps;
  }

  async list(): Promise<ReportTemplate[]> {
    const builtIn = BUILT_IN_KEYS.flatMap((key) => builtInTemplate(key, LISTED_LANGUAGE) ?? []);
    return [...builtIn, ...(await new ReportTemplateRepository(this.#deps.knex).list())];
  }

  async page({ page, perPage }: PageRequest): Promise<Page<ReportTemplate>> {
    const all = await this.list();
    const offset = offsetOf({ page, perPage });
    return { items: all.slice(offset, offset + perPage), page, perPage, total: all.length };
  }

  async get(key: string, language = LISTED_LANGUAGE): Promise<ReportTemplate> {
    const template = await this.find(key, language);
    if (!template) throw templateNotFound();
    return template;
  }

  async find(key: string, language: string): Promise<ReportTemplate | null> {
    return builtInTemplate(key, language) ?? (await new ReportTemplateRepository(this.#deps.knex).find(key));
  }

  async requireKnown(key: string, field: string): Promise<void> {
    if (!(await this.find(key, LISTED_LANGUAGE))) throwFieldError(field, 'must be the key of a report template');
  }

  async create(input: NewReportTemplate, actor: string): Promise<ReportTemplate> {
    const { knex, clock, changeLog } = this.#deps;
    const { key: _, ...chosenFields } = input;
    const key = checkedKey(input);
    if (builtInTemplate(key, LISTED_LANGUAGE))
      throw new ConflictError('svc_already_exists', 'A report template with this key already exists.');
    const fields = checkedTemplate({ ...EMPTY_TEMPLATE, ...chosenFields });
    await inTransaction(knex, async ({ trx }) => {
      const templates = new ReportTemplateRepository(trx);
      if ((await templates.count()) >= MOST_TEMPLATES)
        throwFieldError('name', `must not be a further template, because there are ${MOST_TEMPLATES}`);
      await templates.insert(key, fields, clock.now());
      const thing = describeChangedObject({ name: fields.name, key }, null, loggedFields(fields));
      const description = `Added the report template ${fields.name}.`;
      await changeLog.append(trx, { siteId: null, type: 'report_template.added', description, actor, thing });
    });
    return this.get(key);
  }

  /** Throws `svc_report_template_not_found`, and `svc_built_in` for a template that comes with the product. */
  async update(
    key: string,
    patch: ReportTemplatePatch,
    actor: string,
    precondition?: Precondition<ReportTemplate>,
  ): Promise<ReportTemplate> {
    const { knex, clock, changeLog } = this.#deps;
    refuseBuiltIn(key);
    await inTransaction(knex, async ({ trx }) => {
      const templates = new ReportTemplateRepository(trx);
      const stored = await templates.lock(key);
      precondition?.(stored);
      const before = fieldsOf(stored);
      const fields = checkedTemplate({ ...before, ...patch });
      if (JSON.stringify(before) === JSON.stringify(fields)) return;
      await templates.update(key, fields, clock.now());
      const thing = describeChangedObject({ name: fields.name, key }, loggedFields(before), loggedFields(fields));
      const description = `Changed the report template ${fields.name}.`;
      await changeLog.append(trx, { siteId: null, type: 'report_template.updated', description, actor, thing });
    });
    return this.get(key);
  }

  /** Throws `svc_report_template_not_found`, `svc_built_in`, and `svc_in_use` if a client or the settings name it. */
  async delete(key: string, actor: string, precondition?: Precondition<ReportTemplate>): Promise<ReportTemplate> {
    const { knex, changeLog, countClients, defaultKey } = this.#deps;
    refuseBuiltIn(key);
    return inTransaction(knex, async ({ trx }) => {
      const templates = new ReportTemplateRepository(trx);
      const template = await templates.lock(key);
      precondition?.(template);
      const clients = await countClients(trx, key);
      if (clients > 0)
        throw new ConflictError(
          'svc_in_use',
          `The template is used by ${clients} ${clients === 1 ? 'client' : 'clients'}.`,
        );
      if (defaultKey() === key) throw new ConflictError('svc_in_use', 'The template is used by the report settings.');
      await templates.delete(key);
      const thing = describeChangedObject({ name: template.name, key }, loggedFields(fieldsOf(template)), null);
      const description = `Deleted the report template ${template.name}.`;
      await changeLog.append(trx, { siteId: null, type: 'report_template.deleted', description, actor, thing });
      return template;
    });
  }

  /**
   * Returns the first template of `keys` that exists, or the default template. `languageFor` chooses the language of
   * the texts of a built-in template.
   */
  async firstOf(keys: readonly string[], languageFor: (template: ReportTemplate) => string): Promise<ReportTemplate> {
    for (const key of [...keys, DEFAULT_TEMPLATE]) {
      const template = key === '' ? null : await this.find(key, LISTED_LANGUAGE);
      if (template) return builtInTemplate(key, languageFor(template)) ?? template;
    }
    throw templateNotFound();
  }
}

const EMPTY_TEMPLATE: Omit<ReportTemplateFields, 'name'> = {
  sections: ['summary', 'work', 'availability', 'speed', 'security', 'recommendations'],
  ...{ greeting: '', intro: '', closing: '', language: null, color: null, accentColor: null, logo: null },
  ...{ cover: false, appendix: [] },
};

function refuseBuiltIn(key: string): void {
  if (builtInTemplate(key, LISTED_LANGUAGE))
    throw new ConflictError('svc_built_in', 'Templates that come with the product cannot be changed; add your own.');
}

const fieldsOf = ({ key: _, builtIn: __, createdAt: ___, updatedAt: ____, ...fields }: ReportTemplate) => fields;

/** The change log does not contain images. */
const loggedFields = ({ logo, ...fields }: ReportTemplateFields) => ({
  ...fields,
  hasLogo: logo !== null && logo !== '',
});
