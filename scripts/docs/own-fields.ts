import type { Field, FieldGroup } from './fields.ts';
import { keepOwnSentences, keepSentencesOfCodes, type DocumentedOperation } from './own-sentences.ts';

/** A sentence such as "Only in `sites_get` and `sites_list`, with `full_data`." */
const ONLY_IN = /Only in (?:the response of )?(`[\w-]+`(?:(?:, | and )`[\w-]+`)*)/;

const ITEM_CODE = 'code';
/** Fields that an error of an item has only with some codes. */
const FIELDS_OF_CODES: Readonly<Record<string, RegExp>> = {
  job_id: /^svc_(still_running|outcome_unknown)$/,
  reason: /^svc_(site_|outcome_unknown|update_failed|activation_failed)/,
  child_message: /^svc_(site_|outcome_unknown|update_failed|activation_failed)/,
  type: /^svc_(plugin|theme)_|update|item|activation|deletion/,
  slug: /^svc_(plugin|theme)_|update|item|activation|deletion/,
};
const IS_ABOUT_THE_SITE_ITSELF = /^svc_site_(not_found|suspended|disconnected|already_exists)$/;

/** Removes fields and sentences that are only about other operations. Operations share the schemas of records. */
export const keepFieldsOf = (entry: DocumentedOperation, groups: readonly FieldGroup[]): FieldGroup[] =>
  groups.map(({ title, fields }) => {
    const codes = itemCodesOf(fields);
    return {
      title,
      fields: fields
        .filter((field) => isReturnedBy(entry.id, field) && hasOneOfItsCodes(field, codes))
        .map((field) => ({
          ...field,
          description: keepOwnSentences(
            codes.length > 0 ? keepSentencesOfCodes(field.description, codes) : field.description,
            entry,
          ),
          groups: keepFieldsOf(entry, field.groups),
        })),
    };
  });

/** Returns the codes of an item error on this page; none for the fields of other objects. */
function itemCodesOf(fields: readonly Field[]): readonly string[] {
  const isItemError = fields.some(({ name }) => name === 'identifier');
  return (isItemError && fields.find(({ name }) => name === ITEM_CODE)?.values?.shown) || [];
}

/** False for a field of an item error that none of the codes has. */
function hasOneOfItsCodes({ name }: Field, codes: readonly string[]): boolean {
  const withField = FIELDS_OF_CODES[name];
  return (
    codes.length === 0 ||
    !withField ||
    codes.some((code) => withField.test(code) && !IS_ABOUT_THE_SITE_ITSELF.test(code))
  );
}

function isReturnedBy(id: string, { description }: Field): boolean {
  const [, operations] = ONLY_IN.exec(description) ?? [];
  return operations === undefined || operations.includes(`\`${id}\``);
}
