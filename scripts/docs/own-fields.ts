import type { Field, FieldGroup } from './fields.ts';

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

/** Removes the fields that only other operations return. Records of a schema are shared by operations. */
export const keepFieldsOf = (id: string, groups: readonly FieldGroup[]): FieldGroup[] =>
  groups.map(({ title, fields }) => ({
    title,
    fields: fields
      .filter((field) => isReturnedBy(id, field) && hasOneOfItsCodes(field, fields))
      .map((field) => ({ ...field, groups: keepFieldsOf(id, field.groups) })),
  }));

/** False for a field of an item error that none of the codes on this page has. */
function hasOneOfItsCodes({ name }: Field, siblings: readonly Field[]): boolean {
  const codes = siblings.find((sibling) => sibling.name === ITEM_CODE)?.values?.shown ?? [];
  const isItemError = siblings.some((sibling) => sibling.name === 'identifier') && codes.length > 0;
  const withField = FIELDS_OF_CODES[name];
  return (
    !isItemError || !withField || codes.some((code) => withField.test(code) && !IS_ABOUT_THE_SITE_ITSELF.test(code))
  );
}

function isReturnedBy(id: string, { description }: Field): boolean {
  const [, operations] = ONLY_IN.exec(description) ?? [];
  return operations === undefined || operations.includes(`\`${id}\``);
}
