import { isLanguageTag, LANGUAGE_TAGS } from '../../languages/index.ts';
import { normalizeColor } from '../../shared/color.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { trimmedName, trimmedText, truncate } from '../../shared/text.ts';
import { isAcceptedPicture, PICTURE_RULE } from '../settings/index.ts';
import {
  APPENDIX_TOPICS,
  REPORT_SECTIONS,
  unknownTokenMessage,
  type NewReportTemplate,
  type ReportTemplateFields,
} from './report-template.ts';

const LONGEST = { name: 255, text: 2000, key: 64 };
const KEY = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const TEXTS = ['greeting', 'intro', 'closing'] as const;

export function checkedTemplate(fields: ReportTemplateFields): ReportTemplateFields {
  const errors = new FieldErrors();
  const name = trimmedName(errors, 'name', fields.name, LONGEST.name);
  const texts = TEXTS.map((field) => {
    const text = trimmedText(errors, field, fields[field], LONGEST.text);
    const unknown = unknownTokenMessage(text);
    errors.require(field, unknown === null, unknown ?? '');
    return [field, text] as const;
  });
  const { sections, appendix, language, logo } = fields;
  errors
    .require('sections', isListOf(sections, REPORT_SECTIONS), 'must name each section at most once')
    .require('sections', sections.length > 0, 'must name at least one section')
    .require('appendix', isListOf(appendix, APPENDIX_TOPICS), 'must name each topic at most once')
    .require('language', language === null || isLanguageTag(language), `must be one of ${LANGUAGE_TAGS.join(', ')}`)
    .require('logo', logo === null || logo === '' || isAcceptedPicture(logo), PICTURE_RULE);
  const [color, accentColor] = [fields.color, fields.accentColor].map((each, at) => {
    const normal = each === null ? null : normalizeColor(each);
    errors.require(at === 0 ? 'color' : 'accentColor', each === null || normal !== null, 'must be a hex color');
    return normal ?? null;
  });
  errors.throwIfAny();
  return {
    ...fields,
    ...(Object.fromEntries(texts) as Record<(typeof TEXTS)[number], string>),
    ...{ name, color: color ?? null, accentColor: accentColor ?? null },
  };
}

const isListOf = (names: readonly string[], allowed: readonly string[]): boolean =>
  new Set(names).size === names.length && names.every((name) => allowed.includes(name));

export function checkedKey({ key, name }: Pick<NewReportTemplate, 'key' | 'name'>): string {
  const chosen = key ?? keyOfName(name);
  new FieldErrors()
    .require('key', KEY.test(chosen) && chosen.length <= LONGEST.key, 'must consist of a-z, 0-9 and single hyphens')
    .throwIfAny();
  return chosen;
}

const keyOfName = (name: string): string =>
  truncate(
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-'),
    LONGEST.key,
  ).replace(/^-|-$/g, '');
