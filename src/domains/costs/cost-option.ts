import { normalizeColor } from '../../shared/color.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { truncate, trimmedName } from '../../shared/text.ts';

const OPTION_KINDS = ['product_type', 'payment_method'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export interface CostOption {
  kind: OptionKind;
  slug: string;
  title: string;
  /** Format: `#rrggbb`. */
  color: string | null;
  icon: string | null;
  /** The title of a built-in option cannot be changed, and the option cannot be deleted. */
  builtIn: boolean;
}

export interface NewCostOption {
  title: string;
  /** Null sets the default. This also applies to `icon`. */
  color?: string | null;
  icon?: string | null;
}

export type CostOptionPatch = Partial<NewCostOption>;

const DEFAULT_COLOR = '#34424d';
const DEFAULT_ICON = 'default:folder';
const MAX_SLUG = 64;
const ICON = /^[a-z0-9-]{1,31}:[A-Za-z0-9 _-]{1,31}$/;

export type CostOptionFields = Pick<CostOption, 'title' | 'color' | 'icon'>;

export function checkedOption(kind: OptionKind, { title, color, icon }: NewCostOption): CostOptionFields {
  const errors = new FieldErrors();
  const name = trimmedName(errors, 'title', title);
  if (kind === 'payment_method') {
    errors.throwIfAny();
    return { title: name, color: null, icon: null };
  }
  const texts = { title: name, color: normalizeColor(color ?? DEFAULT_COLOR), icon: icon ?? DEFAULT_ICON };
  errors
    .require('color', texts.color !== null, 'must be a hex color such as #1a73e8')
    .require('icon', ICON.test(texts.icon), 'must have a form such as default:folder')
    .throwIfAny();
  return texts;
}

export function newOptionSlug(kind: OptionKind, title: string, taken: ReadonlySet<string>): string {
  const plain = title.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const slug = truncate(words || kind.replace('_', '-'), MAX_SLUG);
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? slug : `${truncate(slug, MAX_SLUG - 8)}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
