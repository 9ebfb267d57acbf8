import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { AppendixTopic, ReportSectionName, ReportTemplate, ReportTemplateFields } from './report-template.ts';

interface TemplateRow {
  template_key: string;
  name: string;
  sections: string;
  appendix: string;
  greeting: string;
  intro: string;
  closing: string;
  language: string | null;
  color: string | null;
  accent_color: string | null;
  logo: string | null;
  cover: number;
  created_at: number;
  updated_at: number;
}

const COLUMNS = [
  ...(['template_key', 'name', 'sections', 'appendix', 'greeting', 'intro', 'closing', 'language', 'color'] as const),
  ...(['accent_color', 'logo', 'cover', 'created_at', 'updated_at'] as const),
];

export const templateNotFound = (): NotFoundError =>
  new NotFoundError('svc_report_template_not_found', 'No report template has this key.');

export class ReportTemplateRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(): Promise<ReportTemplate[]> {
    const rows = await this.#db('report_templates')
      .orderBy(['name_key', 'id'])
      .select<TemplateRow[]>(...COLUMNS);
    return rows.map(toTemplate);
  }

  async find(key: string): Promise<ReportTemplate | null> {
    const row = await this.#db('report_templates')
      .where({ template_key: key })
      .first<TemplateRow | undefined>(...COLUMNS);
    return row ? toTemplate(row) : null;
  }

  async count(): Promise<number> {
    const row = await this.#db('report_templates').count<{ n: number | string }[]>({ n: '*' }).first();
    return Number(row?.n ?? 0);
  }

  async lock(key: string): Promise<ReportTemplate> {
    const query = this.#db('report_templates')
      .where({ template_key: key })
      .first<TemplateRow | undefined>(...COLUMNS);
    const row: TemplateRow | undefined = await lockForUpdate(this.#db, query);
    if (!row) throw templateNotFound();
    return toTemplate(row);
  }

  async insert(key: string, fields: ReportTemplateFields, now: number): Promise<void> {
    try {
      await this.#db('report_templates').insert({
        ...{ template_key: key, created_at: now, updated_at: now },
        ...toColumns(fields),
      });
    } catch (error) {
      if (isDuplicate(error))
        throw new ConflictError('svc_already_exists', 'A report template with this key already exists.');
      throw error;
    }
  }

  async update(key: string, fields: ReportTemplateFields, now: number): Promise<void> {
    await this.#db('report_templates')
      .where({ template_key: key })
      .update({ ...toColumns(fields), updated_at: now });
  }

  async delete(key: string): Promise<void> {
    await this.#db('report_templates').where({ template_key: key }).delete();
  }
}

const toTemplate = (row: TemplateRow): ReportTemplate => ({
  key: row.template_key,
  builtIn: false,
  name: row.name,
  sections: JSON.parse(row.sections) as ReportSectionName[],
  appendix: JSON.parse(row.appendix) as AppendixTopic[],
  greeting: row.greeting,
  intro: row.intro,
  closing: row.closing,
  language: row.language,
  color: row.color,
  accentColor: row.accent_color,
  logo: row.logo,
  cover: row.cover === 1,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const toColumns = (
  fields: ReportTemplateFields,
): Omit<TemplateRow, 'template_key' | 'created_at' | 'updated_at'> & {
  name_key: string;
} => ({
  name: fields.name,
  name_key: nameKeyOf(fields.name),
  sections: JSON.stringify(fields.sections),
  appendix: JSON.stringify(fields.appendix),
  greeting: fields.greeting,
  intro: fields.intro,
  closing: fields.closing,
  language: fields.language,
  color: fields.color,
  accent_color: fields.accentColor,
  logo: fields.logo,
  cover: fields.cover ? 1 : 0,
});
